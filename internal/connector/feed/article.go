package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"time"

	"codeberg.org/readeck/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"earshot/internal/connector/htmltext"
)

// Limits on articles.
const (
	maxArticle         = 2 << 20 // bytes of a page
	maxArticleElements = 20_000
	articlesPerPoll    = 20 // the others keep the text of the feed
	robotsAge          = 24 * time.Hour
	robotsRetry        = time.Hour // after robots.txt could not be read
	maxRobotsHosts     = 1000      // in memory
)

// A robotsCache has the rules of the hosts whose articles were fetched.
type robotsCache struct {
	mu    sync.Mutex
	hosts map[string]cachedRobots // by origin; guarded by mu
}

type cachedRobots struct {
	robots
	until time.Time
}

// errDisallowed is returned for articles that robots.txt disallows.
var errDisallowed = errors.New("robots.txt does not allow fetching the article")

// article returns the text of an article, if its site allows fetching it.
func (c *client) article(ctx context.Context, cache *robotsCache, u *url.URL) (htmltext.Document, error) {
	r := request{url: u, accept: "text/html,application/xhtml+xml", limit: maxArticle, slot: c.pages}
	for range maxRedirects + 1 {
		rules, err := c.robots(ctx, cache, r.url)
		if err != nil {
			return htmltext.Document{}, err
		}
		if !rules.allowed(r.url.RequestURI()) {
			return htmltext.Document{}, errDisallowed
		}
		resp, err := c.do(ctx, r)
		if err != nil {
			return htmltext.Document{}, err
		}
		defer free(resp)
		switch {
		case resp.StatusCode == http.StatusOK:
			c.decoders <- struct{}{}
			defer func() { <-c.decoders }()
			return extract(resp.body, resp.Header.Get("Content-Type"), r.url)
		case resp.StatusCode < 300 || resp.StatusCode >= 400:
			return htmltext.Document{}, fmt.Errorf("%s returned %s", hostOf(r.url), resp.Status)
		}
		next, err := r.url.Parse(resp.Header.Get("Location"))
		if err != nil || next.Scheme != "http" && next.Scheme != "https" || next.User != nil {
			return htmltext.Document{}, fmt.Errorf("%s redirects to an invalid address", hostOf(r.url))
		}
		r.url = next
	}
	return htmltext.Document{}, fmt.Errorf("%s redirects too many times", hostOf(r.url))
}

// extract returns the main text of a page. It never panics.
func extract(body []byte, contentType string, u *url.URL) (doc htmltext.Document, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = htmltext.Document{}, fmt.Errorf("the article cannot be parsed: %v", p)
		}
	}()
	if mediaType, _, err := mime.ParseMediaType(contentType); err == nil && mediaType != "text/html" && mediaType != "application/xhtml+xml" {
		return htmltext.Document{}, fmt.Errorf("the article is %s, not a web page", mediaType)
	}
	text, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return htmltext.Document{}, err
	}
	tree, err := html.Parse(text)
	if err != nil {
		return htmltext.Document{}, err
	}
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxArticleElements
	parser.DisableJSONLD = true // only the text is used
	found, err := parser.ParseAndMutate(tree, u)
	if err != nil {
		return htmltext.Document{}, err
	}
	return htmltext.Parse(found.Content, u), nil
}

// robots returns the rules of the host of an article. While robots.txt cannot be read, nothing is
// allowed. If there is none, everything is.
func (c *client) robots(ctx context.Context, cache *robotsCache, u *url.URL) (robots, error) {
	origin := u.Scheme + "://" + u.Host
	now := c.env.Now()
	cache.mu.Lock()
	cached, ok := cache.hosts[origin]
	cache.mu.Unlock()
	if ok && now.Before(cached.until) {
		return cached.robots, nil
	}
	resp, _, err := c.follow(ctx, request{
		url: &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}, accept: "text/plain,*/*;q=0.1", limit: maxRobots, truncate: true, slot: c.pages,
	})
	defer free(resp)
	if ctx.Err() != nil {
		return robots{}, ctx.Err()
	}
	fresh := cachedRobots{until: now.Add(robotsAge)}
	switch {
	case err == nil && resp.StatusCode == http.StatusOK:
		fresh.robots = parseRobots(resp.body)
	case err == nil && resp.StatusCode >= 400 && resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests:
		// There are no rules.
	default:
		fresh = cachedRobots{disallowAll, now.Add(robotsRetry)}
	}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if len(cache.hosts) >= maxRobotsHosts {
		clear(cache.hosts)
	}
	if cache.hosts == nil {
		cache.hosts = map[string]cachedRobots{}
	}
	cache.hosts[origin] = fresh
	return fresh.robots, nil
}
