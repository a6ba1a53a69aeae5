package feed

import (
	"net"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// trackers are query parameters that record where a visitor came from. They do not affect the
// content of a page. Parameters that start with utm_, mtm_, pk_ or hsa_ are also trackers.
var trackers = map[string]bool{
	"_ga": true, "_gl": true, "_hsenc": true, "_hsmi": true, "_openstat": true, "__hsfp": true, "__hssc": true, "__hstc": true,
	"at_campaign": true, "at_medium": true, "cmpid": true, "dclid": true, "ef_id": true, "epik": true, "fb_action_ids": true,
	"fb_action_types": true, "fb_ref": true, "fb_source": true, "fbclid": true, "gad_source": true, "gbraid": true, "gclid": true,
	"gclsrc": true, "guccounter": true, "guce_referrer": true, "guce_referrer_sig": true, "hsctatracking": true, "icid": true,
	"igshid": true, "mc_cid": true, "mc_eid": true, "mkt_tok": true, "msclkid": true, "ncid": true, "ocid": true,
	"oly_anon_id": true, "oly_enc_id": true, "rb_clickid": true, "s_cid": true, "spm": true, "srsltid": true, "ttclid": true,
	"twclid": true, "vero_conv": true, "vero_id": true, "wbraid": true, "wickedid": true, "wt_mc": true, "wt.mc_id": true,
	"xtor": true, "yclid": true, "ysclid": true,
}

var trackerPrefixes = []string{"utm_", "mtm_", "pk_", "hsa_"}

func isTracker(parameter string) bool {
	name, _, _ := strings.Cut(parameter, "=")
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	name = strings.ToLower(name)
	if trackers[name] {
		return true
	}
	for _, prefix := range trackerPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// anchored matches fragments that identify a numbered part, such as a comment or a reply in a
// thread: comment-123, p42. Others mark a position on the page or track visitors.
var anchored = regexp.MustCompile(`^[A-Za-z_-]{0,20}[0-9]{1,20}$`)

// canonical returns the address of a page without the parts that do not affect its content: trackers,
// most fragments, default ports, and the case of the host. It returns nil if the address is not that
// of a web page.
func canonical(address string) *url.URL {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Opaque != "" {
		return nil
	}
	u.User = nil
	u.Host = strings.ToLower(u.Host)
	if host, port, err := net.SplitHostPort(u.Host); err == nil && (u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443") {
		u.Host = host
		if strings.Contains(host, ":") {
			u.Host = "[" + host + "]"
		}
	}
	if u.Path == "" {
		u.Path = "/"
	}
	if u.RawQuery != "" {
		var kept []string
		for parameter := range strings.SplitSeq(u.RawQuery, "&") {
			if parameter != "" && !isTracker(parameter) {
				kept = append(kept, parameter)
			}
		}
		u.RawQuery = strings.Join(kept, "&")
	}
	u.ForceQuery = false
	if !anchored.MatchString(u.Fragment) && !strings.HasPrefix(u.Fragment, "!/") {
		u.Fragment, u.RawFragment = "", ""
	}
	return u
}

// linkKey returns the guid of a post with a canonical address. A site that moves from http to https
// does not publish its articles again.
func linkKey(u *url.URL) string {
	secure := *u
	secure.Scheme = "https"
	return secure.String()
}

// site returns the registered domain of a page, for example bbc.co.uk for news.bbc.co.uk, or its host if
// that is not below one, such as an IP address.
func site(u *url.URL) string {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil && net.ParseIP(host) == nil {
		return domain
	}
	return host
}
