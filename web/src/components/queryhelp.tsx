// What can be written, and what it finds; docs/query-language.md has all of it.
const examples: [string, string][] = [
  ["coffee", "the word, in any case of letters"],
  ['"cold brew"', "the words one after another"],
  ["coffee tea, coffee AND tea", "both"],
  ["coffee OR tea", "either"],
  ["coffee NOT tea, coffee -tea", "the first and not the second"],
  ["(coffee OR tea) AND cup", "parentheses group"],
  ["coffee NEAR/5 tea", "both, with at most 5 words between them"],
  ["coffee ONEAR/5 tea", "likewise, coffee first"],
  ["coff*, t?a", "any run of characters; exactly one"],
  ["#coffee, @coffee", "the hashtag; the mention"],
  ["{BT}", "exactly this text, in this case of letters"],
  ["title:coffee, site:example.com", "a field of the post"],
  ["author:joe, language:de, country:Germany", "who wrote it, in which language, where"],
  ["authorFollowers:[1000 TO *]", "a number in a range; * leaves an end open"],
  ["<<< why >>>", "a comment"],
];

// QueryHelp explains the language of queries on demand.
export function QueryHelp() {
  return (
    <details class="small">
      <summary>How to write a query</summary>
      <dl class="examples">
        {examples.map(([written, means]) => (
          <div key={written}>
            <dt>
              <code>{written}</code>
            </dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">AND binds before OR: coffee OR tea cup finds coffee, or tea with cup. Operators are upper case; a word without accents finds every spelling.</p>
    </details>
  );
}
