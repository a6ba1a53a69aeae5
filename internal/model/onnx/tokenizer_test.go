package onnx

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestGPTWords(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		var got []string
		for rest := text; rest != ""; {
			n := gptWord(rest)
			got = append(got, rest[:n])
			rest = rest[n:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	f("Hello world", "Hello", " world")
	f("it's we'll I'd", "it", "'s", " we", "'ll", " I", "'d")
	f("a  b", "a", " ", " b")
	f("a \n\n b", "a", " \n\n", " b")
	f("a\nb", "a", "\n", "b")
	f("end  ", "end", "  ")
	f("x2 3y!!! ?", "x", "2", " 3", "y", "!!!", " ?")
	f("né 😀😀", "né", " 😀😀")
	f(" '", " '")
}

func TestBertTextForm(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		normal := bertNormalizer(bertRules{clean: true, chinese: true, accents: true, lower: true})(text)
		if got := strings.Join(bertWords([]string{normal}), "|"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	f("Héllo, Wörld!", "hello|,|world|!")
	f("a\u0000b\u200bc\td", "abc|d")
	f("我爱Go", "我|爱|go")
	f("$5+#tag_x", "$|5|+|#|tag|_|x")
	f("  ", "")
}

func TestWordPieces(t *testing.T) {
	w := wordPieces{numbers: map[string]int64{"un": 1, "##aff": 2, "##able": 3, "##a": 4, "é": 5}, unknown: 0, prefix: "##", longest: 10}
	f := func(word string, want ...int64) {
		t.Helper()
		if got := w.encode(nil, word); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", word, got, want)
		}
	}
	f("unaffable", 1, 2, 3)
	f("una", 1, 4)
	f("unx", 0)
	f("é", 5)
	f("ununununununun", 0)
}

func TestBytePairs(t *testing.T) {
	p := newBytePairs(map[string]int64{"l": 0, "o": 1, "w": 2, "e": 3, "r": 4, "lo": 5, "low": 6, "er": 7, "<unk>": 9},
		[][2]string{{"l", "o"}, {"lo", "w"}, {"e", "r"}}, "<unk>")
	f := func(word string, want ...int64) {
		t.Helper()
		if got := p.encode(nil, word); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", word, got, want)
		}
	}
	f("lower", 6, 7)
	f("lowlo", 6, 5)
	f("rewol", 4, 3, 2, 1, 0)
	f("loxe", 5, 9, 3)
	f(strings.Repeat("low", 100), slices.Concat(slices.Repeat([]int64{6}, 85), []int64{0, 1, 2}, slices.Repeat([]int64{6}, 14))...) // split after 256 bytes
}

func TestUnigrams(t *testing.T) {
	stage := modelStage{Type: "Unigram", Vocab: json.RawMessage(`[["<unk>",0],["▁",-3],["▁he",-2],["llo",-2.5],["▁hell",-4],["o",-4],["l",-5],["ß",-6]]`)}
	u, err := stage.unigrams()
	if err != nil {
		t.Fatal(err)
	}
	f := func(word string, want ...int64) {
		t.Helper()
		if got := u.encode(nil, word); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", word, got, want)
		}
	}
	f("▁hello", 2, 3)
	f("▁hell", 4)
	f("▁xyzo", 1, 0, 5) // consecutive unknown characters are one piece
	f("ßß", 7, 7)
	f("")
}

// tokenizerJSON returns a tokenizer.json with the given stages.
func tokenizerJSON(normalizer, words, marks, model string) string {
	return fmt.Sprintf(`{"normalizer":%s,"pre_tokenizer":%s,"post_processor":%s,"model":%s,
		"added_tokens":[{"id":90,"content":"<s>","special":true},{"id":91,"content":"</s>","special":true},{"id":92,"content":"<pad>"}]}`,
		normalizer, words, marks, model)
}

func TestTokenizerFiles(t *testing.T) {
	bytePairs := `{"type":"BPE","vocab":{"h":0,"i":1,"Ġ":2,"hi":3,"Ġhi":4,"Ġh":5,"Ã":6,"©":7},"merges":["h i","Ġ hi"]}`
	template := `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}}]}`
	tests := []struct {
		name string
		file string
		text string
		want []int64
	}{
		{
			"bytes with a space in front",
			tokenizerJSON("null", `{"type":"ByteLevel","add_prefix_space":true}`, `{"type":"RobertaProcessing","sep":["</s>",91],"cls":["<s>",90]}`, bytePairs),
			"hi hié", []int64{90, 4, 4, 6, 7, 91},
		},
		{
			"merges as pairs, and a template",
			tokenizerJSON("null", `{"type":"Sequence","pretokenizers":[{"type":"ByteLevel","add_prefix_space":false}]}`, template,
				strings.Replace(bytePairs, `["h i","Ġ hi"]`, `[["h","i"],["Ġ","hi"]]`, 1)),
			"hi hi", []int64{90, 3, 4, 91},
		},
		{
			"words of BERT",
			tokenizerJSON(`{"type":"BertNormalizer","lowercase":true,"strip_accents":null}`, `{"type":"BertPreTokenizer"}`, template,
				`{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","vocab":{"[UNK]":0,"hi":1,"##s":2,"!":3}}`),
			"HÍs! yo", []int64{90, 1, 2, 3, 0, 91},
		},
		{
			"pieces of SentencePiece",
			tokenizerJSON(`{"type":"Sequence","normalizers":[{"type":"Precompiled","precompiled_charsmap":"AAAA"},{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]}`,
				`{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","replacement":"▁","add_prefix_space":true}]}`, template,
				`{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["▁",-2],["▁hi",-1],["fi",-3]]}`),
			"hi   ﬁ\n", []int64{90, 2, 1, 3, 91},
		},
		{
			"special tokens in a text are text",
			tokenizerJSON("null", `{"type":"ByteLevel","add_prefix_space":false}`, template, bytePairs),
			"<s>hi</s>", []int64{90, 3, 91},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var file tokenizerFile
			if err := json.Unmarshal([]byte(tt.file), &file); err != nil {
				t.Fatal(err)
			}
			tokens, err := file.tokenizer()
			if err != nil {
				t.Fatal(err)
			}
			if got := tokens.encode(tt.text, 16); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if tokens.pad != 92 {
				t.Errorf("pad: got %d, want 92", tokens.pad)
			}
		})
	}
}

func TestByteTokenizer(t *testing.T) {
	b := newBert(1, 8, 2, 3)
	dir := b.graph().save(t, map[string]string{
		"config.json": threeLabels,
		"vocab.json":  `{"<s>":0,"<pad>":1,"</s>":2,"<unk>":3,"h":4,"i":5,"hi":6,"Ġ":7,"Ġhi":8}`,
		"merges.txt":  "#version: 0.2\nh i\nĠ hi\n",
	})
	model, err := openText(dir, TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := model.tokens.encode("hi hih", 9), []int64{0, 6, 8, 4, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNormalizers(t *testing.T) {
	f := func(file, text, want string) {
		t.Helper()
		var s stage
		if err := json.Unmarshal([]byte(file), &s); err != nil {
			t.Fatal(err)
		}
		tokens := &tokenizer{}
		if err := tokens.addNormalizer(&s); err != nil {
			t.Fatal(err)
		}
		got := text
		for _, normal := range tokens.normal {
			got = normal(got)
		}
		if got != want {
			t.Errorf("%s of %q: got %q, want %q", file, text, got, want)
		}
	}
	f(`{"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"StripAccents"},{"type":"Lowercase"}]}`, "É", "e")
	f(`{"type":"NFC"}`, "e\u0301", "é")
	f(`{"type":"NFKC"}`, "ﬁ", "fi")
	f(`{"type":"NFKD"}`, "é", "e\u0301")
	f(`{"type":"Strip"}`, " a ", "a")
	f(`{"type":"Prepend","prepend":"▁"}`, "a", "▁a")
	f(`{"type":"Replace","pattern":{"String":" "},"content":"▁"}`, "a b", "a▁b")
	f(`{"type":"Precompiled"}`, "a\u00a0\t\u0007b", "a b")
	f(`{"type":"BertNormalizer","lowercase":false}`, "É", "É")
}

func TestTokenizerFileErrors(t *testing.T) {
	f := func(file, want string) {
		t.Helper()
		var parsed tokenizerFile
		if err := json.Unmarshal([]byte(file), &parsed); err != nil {
			t.Fatal(err)
		}
		if _, err := parsed.tokenizer(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", file, err, want)
		}
	}
	f(`{}`, "vocabulary")
	f(`{"model":{"type":"Words","vocab":{}}}`, `not supported: tokenizer model "Words"`)
	f(`{"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{}}}`, `the vocabulary has no unknown token "[UNK]"`)
	f(`{"model":{"type":"BPE","vocab":{},"merges":[],"end_of_word_suffix":"</w>"}}`, "not supported: BPE")
	f(`{"model":{"type":"BPE","vocab":{},"merges":[]},"normalizer":{"type":"Nmt"}}`, "not supported: normalizer Nmt")
	f(`{"model":{"type":"BPE","vocab":{},"merges":[]},"pre_tokenizer":{"type":"Split"}}`, "not supported: pre-tokenizer Split")
	f(`{"model":{"type":"Unigram","vocab":[["a",1],["b"]]}}`, "entry 1")
	f(`{"model":{"type":"Unigram","vocab":[],"unk_id":0}}`, "unknown piece")
}

func TestLongTextsAreTruncated(t *testing.T) {
	vocabulary := map[string]int64{"<unk>": 0}
	for _, sign := range byteSigns() {
		vocabulary[string(sign)] = int64(len(vocabulary))
	}
	tokens := &tokenizer{words: []func([]string) []string{byteWords(true, true)}, pieces: newBytePairs(vocabulary, nil, "<unk>"), before: []int64{7}, after: []int64{8}}
	for _, text := range []string{strings.Repeat("a", 16<<10), strings.Repeat("a\xff", 1000), strings.Repeat("é ", 8<<10), strings.Repeat("\x00", 300)} {
		got := tokens.encode(text, 20)
		if len(got) != 20 || got[0] != 7 || got[19] != 8 {
			t.Errorf("%.10q…: got %v, want 20 numbers from 7 to 8", text, got)
		}
	}
}

func FuzzTokenizers(f *testing.F) {
	unigrams := &unigrams{numbers: map[string]int64{"<unk>": 0, "a": 1, "▁a": 2, "é": 3}, scores: []float64{0, -1, -1, -2}, penalty: -12, longest: 4}
	tokenizers := []*tokenizer{
		{normal: []func(string) string{bertNormalizer(bertRules{true, true, true, true})}, words: []func([]string) []string{bertWords},
			pieces: wordPieces{numbers: map[string]int64{"a": 1, "##b": 2}, prefix: "##", longest: 100}},
		{words: []func([]string) []string{byteWords(true, true)}, pieces: newBytePairs(map[string]int64{"a": 1, "Ġa": 2}, [][2]string{{"Ġ", "a"}}, "")},
		{normal: []func(string) string{normalizeSentencePiece}, words: []func([]string) []string{fields, metaspaceWords("", "")}, pieces: unigrams},
	}
	f.Add("Hello wörld! 😀 我", 10)
	f.Add("\xff\x00\u200d it's", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 0 || limit > 100 {
			return
		}
		for i, tokens := range tokenizers {
			if got := tokens.encode(text, limit); len(got) > limit {
				t.Errorf("tokenizer %d: got %d ids, want at most %d", i, len(got), limit)
			}
		}
	})
}
