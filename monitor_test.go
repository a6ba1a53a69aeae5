package earshot

import "testing"

func TestRequireSocialNetwork(t *testing.T) {
	tests := []struct {
		name    string
		require func(*Monitor) error
		message string
		serves  []Source
	}{
		{"Twitter", RequireTwitterSocial, "Monitor 9 is not a Twitter Social Monitor", Microblogs},
		{"Facebook", RequireFacebookSocial, "Monitor 9 is not a Facebook Social Monitor", []Source{Facebook}},
		{"Instagram", RequireInstagramSocial, "Monitor 9 is not an Instagram Social Monitor", []Source{Instagram}},
	}
	for _, tt := range tests {
		served := 0
		for _, network := range append([]Source{""}, Networks...) {
			for _, kind := range []MonitorType{Buzz, Opinion, Social} {
				err := tt.require(&Monitor{ID: 9, Type: kind, Account: Account{Network: network}})
				if err == nil && kind == Social {
					served++
				} else if !IsKind(err, Invalid) || err.Error() != tt.message {
					t.Errorf("%s, %s monitor of %q: got %v, want %s", tt.name, kind, network, err, tt.message)
				}
			}
		}
		if served != len(tt.serves) {
			t.Errorf("%s: serves %d networks, want %v", tt.name, served, tt.serves)
		}
	}
}
