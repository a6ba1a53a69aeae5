package earshot

// Endpoints about an account are for the SOCIAL monitors of its network, and for their
// filters. Those of Twitter serve every microblog.

// RequireTwitterSocial returns an error unless m watches an account of a microblog.
func RequireTwitterSocial(m *Monitor) error {
	return requireAccount(m, m.Account.Network.IsMicroblog(), "a Twitter")
}

// RequireFacebookSocial returns an error unless m watches a Facebook page.
func RequireFacebookSocial(m *Monitor) error {
	return requireAccount(m, m.Account.Network == Facebook, "a Facebook")
}

// RequireInstagramSocial returns an error unless m watches an Instagram account.
func RequireInstagramSocial(m *Monitor) error {
	return requireAccount(m, m.Account.Network == Instagram, "an Instagram")
}

func requireAccount(m *Monitor, there bool, network string) error {
	if m.Type != Social || !there {
		return Errorf(Invalid, "Monitor %d is not %s Social Monitor", m.ID, network)
	}
	return nil
}
