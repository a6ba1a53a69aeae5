package clustertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// positionHeader carries the position that a response reflects, and that a request requires.
const positionHeader = "X-Earshot-Position"

// An outcome is what a client knows about a batch.
type outcome int

const (
	unknown      outcome = iota // sent, but without an answer that says whether it was stored
	acknowledged                // must be stored
	refused                     // must not be stored
)

// A batch is documents that are uploaded in one request. They are stored together or not at all.
type batch struct {
	uploader string
	number   int
	days     []int // one for each document
	outcome  outcome
	attempts int
}

func (b *batch) url(i int) string {
	return fmt.Sprintf("https://example.com/%s/%d/%d", b.uploader, b.number, i)
}

// author returns the author of the documents, which is unique to this uploader.
func (b *batch) author() string { return fmt.Sprintf("%sb%d", b.uploader, b.number) }

func (b *batch) body() string {
	var docs []map[string]string
	for i, day := range b.days {
		docs = append(docs, map[string]string{
			"guid": fmt.Sprintf("%s-%d-%d", b.uploader, b.number, i), "url": b.url(i), "title": fmt.Sprint(b.number), "author": b.author(),
			"date": fmt.Sprintf("2024-03-%02dT12:00:00", day), "contents": words(b.number),
		})
	}
	text, err := json.Marshal(map[string]any{"items": docs})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// An uploader uploads batches. If it does not know whether one was stored, it sends the same batch
// again, to a random node.
type uploader struct {
	client
	batches []*batch
	by      map[*node]*atomic.Int64 // acknowledged batches by node
}

func newUploader(c client) *uploader {
	u := &uploader{client: c, by: map[*node]*atomic.Int64{}}
	for _, n := range c.c.nodes {
		u.by[n] = &atomic.Int64{}
	}
	return u
}

// acknowledgedBy returns how many batches a node has acknowledged.
func (l *load) acknowledgedBy(n *node) (sum int64) {
	for _, u := range l.uploaders {
		sum += u.by[n].Load()
	}
	return sum
}

// acknowledgedDocuments returns how many documents were acknowledged. The load must have ended.
func (l *load) acknowledgedDocuments() (sum int64) {
	for _, u := range l.uploaders {
		for _, b := range u.batches {
			if b.outcome == acknowledged {
				sum += int64(len(b.days))
			}
		}
	}
	return sum
}

// awaitRefusals waits until the contract allows no more documents.
func (l *load) awaitRefusals() {
	l.c.Helper()
	l.c.await("uploads are refused", func() error {
		if n := l.refusals.Load(); n < 20 {
			return fmt.Errorf("%d were", n)
		}
		return nil
	})
}

func (u *uploader) run(ctx context.Context) {
	for pause(ctx, afterUpload()) {
		if u.documents.Load() >= u.limit.Load() {
			continue
		}
		b := &batch{uploader: u.name, number: len(u.batches)}
		for range 1 + u.IntN(8) {
			b.days = append(b.days, firstDay+u.IntN(lastDay-firstDay+1))
		}
		u.batches = append(u.batches, b)
		u.documents.Add(int64(len(b.days)))
		n, position := u.upload(ctx, b)
		if b.outcome == acknowledged && u.IntN(2) == 0 {
			u.readBack(u.other(n), b, position)
		}
	}
}

// upload sends a batch until it is acknowledged or refused. It returns the node that answered, and
// the position.
func (u *uploader) upload(ctx context.Context, b *batch) (n *node, position string) {
	for {
		n := u.node()
		b.attempts++
		a, err := u.send(n, "POST", fmt.Sprintf("/api/content/upload?documentType=%d", u.source), b.body())
		switch {
		case err != nil || a.status >= 500:
		case a.status == http.StatusOK:
			b.outcome = acknowledged
			u.by[n].Add(1)
			u.load.acknowledged.Add(1)
			return n, a.header.Get(positionHeader)
		case strings.Contains(string(a.body), "The contract allows"):
			u.refusals.Add(1)
			if b.attempts == 1 { // otherwise an earlier attempt may still be stored
				b.outcome = refused
			}
			return n, ""
		default:
			u.c.Errorf("upload to node %s: %d %s", n.name, a.status, a.body)
			return n, ""
		}
		if !pause(ctx, afterFailure) {
			return n, ""
		}
	}
}

// readBack reads a batch on another node than the one that acknowledged it. With the position of
// the acknowledgment, that node must have it, or say that it has not caught up.
func (u *uploader) readBack(n *node, b *batch, position string) {
	if position == "" {
		if len(u.c.nodes) > 1 {
			u.c.Errorf("an upload was acknowledged without %s", positionHeader)
		}
		return
	}
	a, err := u.send(n, "GET", fmt.Sprintf("/api/monitor/posts?id=%d&%s&filter=%s", u.all, allDays, url.QueryEscape("author:"+b.author())), "",
		positionHeader, position)
	if err != nil {
		return
	}
	u.positions.Add(1)
	if a.status == http.StatusServiceUnavailable {
		u.behind.Add(1)
		return
	}
	var list struct {
		Total int64 `json:"totalPostsAvailable"`
	}
	if err := json.Unmarshal(a.body, &list); err != nil || a.status != http.StatusOK {
		u.c.Errorf("posts of %s on node %s: %d %s", b.author(), n.name, a.status, a.body)
		return
	}
	if list.Total != int64(len(b.days)) {
		u.c.Errorf("node %s has %d of %d documents of %s, which were acknowledged at position %s; it reports position %s",
			n.name, list.Total, len(b.days), b.author(), position, a.header.Get(positionHeader))
	}
}
