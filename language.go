package earshot

import (
	"slices"
	"strings"
)

// Languages are the codes that monitors and analysis requests may choose from.
var Languages = strings.Fields(`AR AZ EU BG CA ZH HR CS DA NL EN FI FR DE EL HE HI HU ID IT JA KK KO KU
	LT MS NO FA PL PT RO RU SR SK SL ES SV TH TR UR`)

// FindLanguage returns the upper-case code for a supported language in any case.
func FindLanguage(code string) (string, bool) {
	code = strings.ToUpper(code)
	return code, slices.Contains(Languages, code)
}
