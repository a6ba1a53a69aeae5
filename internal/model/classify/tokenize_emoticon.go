package classify

// emoticon returns the length of the emoticon at the start of s, or 0. It recognizes :) ;-( :'( =D
// xD <3 </3 :/ :P and similar ones. A letter that serves as the mouth must end the word.
func emoticon(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[0] {
	case '<':
		return heart(s)
	case ':', ';', '=', 'x', 'X', '8':
	default:
		return 0
	}
	n := 1
	if s[0] == ':' && s[1] == '\'' {
		n++
	}
	if n < len(s) && (s[n] == '-' || s[n] == '^') {
		n++
	}
	if n == len(s) {
		return 0
	}
	letterEyes := s[0] != ':' && s[0] != ';' && s[0] != '='
	switch s[n] {
	case '(', ')':
		if letterEyes && n == 1 {
			return 0 // "8)" numbers a list item, "x)" ends a formula
		}
		return n + 1
	case '/', '\\', '|', ']', '[', '*', '}', '{', '@', '$':
		if letterEyes || s[n] == '/' && n+1 < len(s) && s[n+1] == '/' {
			return 0
		}
		return n + 1
	case 'D', 'P', 'p', 'O', 'o', '3', 'd', 'c', 'S', 's':
		if letterEyes && s[n] != 'D' {
			return 0
		}
		if n+1 < len(s) && (isNameByte(s[n+1]) || s[n+1] >= 0x80) {
			return 0
		}
		return n + 1
	}
	return 0
}

func heart(s []byte) int {
	if s[1] == '3' {
		return 2
	}
	if len(s) > 2 && s[1] == '/' && s[2] == '3' {
		return 3
	}
	return 0
}
