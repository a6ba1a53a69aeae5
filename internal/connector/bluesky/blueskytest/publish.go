package blueskytest

import (
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"strings"
	"time"
)

const (
	postCollection   = "app.bsky.feed.post"
	repostCollection = "app.bsky.feed.repost"
)

// accountCount is the number of accounts that publish posts, in turns.
const accountCount = 40

var letters = base32.NewEncoding("234567abcdefghijklmnopqrstuvwxyz").WithPadding(base32.NoPadding)

// Publish publishes a post and returns its guid.
func (n *Network) Publish(text string) string {
	return n.PublishRecord(map[string]any{"text": text, "langs": []string{"en"}})
}

// PublishRecord publishes a post with the given fields and returns its guid. The fields $type and
// createdAt are set if they are missing.
func (n *Network) PublishRecord(fields map[string]any) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.create(n.nextAccount(), postCollection, fields).guid
}

// Repost publishes a repost of a post by another account and returns its guid.
func (n *Network) Repost(guid string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	subject := map[string]any{"uri": guid, "cid": cid(guid)}
	return n.create(n.nextAccount(), repostCollection, map[string]any{"subject": subject}).guid
}

// Edit replaces the text of a post.
func (n *Network) Edit(guid, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.posts[guid]
	p.record = maps.Clone(p.record)
	p.record["text"] = text
	n.commit(p, "update")
}

// Delete deletes a post or repost.
func (n *Network) Delete(guid string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.posts[guid]
	p.deleted = true
	n.commit(p, "delete")
}

// Vanish deletes a post without an event, as if the event had been lost.
func (n *Network) Vanish(guid string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.posts[guid].deleted = true
}

// SetStatus changes the status of the account of a post, such as deleted, takendown or deactivated;
// "" makes it active. It returns the guids of all posts of the account.
func (n *Network) SetStatus(guid, status string) (guids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	a := n.posts[guid].author
	a.gone = status != ""
	for _, p := range n.posts {
		if p.author == a && !p.deleted {
			guids = append(guids, p.guid)
			p.deleted = a.gone
		}
	}
	at := n.clock()
	body := map[string]any{"active": !a.gone, "did": a.did, "seq": n.seq, "time": at.Format(time.RFC3339Nano)}
	if a.gone {
		body["status"] = status
	}
	n.append("", mustJSON(map[string]any{"did": a.did, "time_us": n.micros, "kind": "account", "account": body}))
	return guids
}

// Rename changes the handle of the account of a post.
func (n *Network) Rename(guid, handle string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	a := n.posts[guid].author
	a.handle = handle
	at := n.clock()
	body := map[string]any{"did": a.did, "handle": handle, "seq": n.seq, "time": at.Format(time.RFC3339Nano)}
	n.append("", mustJSON(map[string]any{"did": a.did, "time_us": n.micros, "kind": "identity", "identity": body}))
}

// SetCounts sets the counts of a post that the AppView returns.
func (n *Network) SetCounts(guid string, likes, reposts, replies int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.posts[guid]
	p.likes, p.reposts, p.answers = likes, reposts, replies
}

// Handle returns the handle of the account of a post.
func (n *Network) Handle(guid string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.posts[guid].author.handle
}

// Send sends a message as it is to all connections, whatever it contains. Posts in it are unknown to
// the AppView.
func (n *Network) Send(message []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clock()
	n.append("", message)
}

// Replay sends recorded messages of the first protocol, with their times, as JSON lines. Their posts
// are unknown to the AppView.
func (n *Network) Replay(lines []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for line := range strings.Lines(string(lines)) {
		var e struct {
			TimeUS int64 `json:"time_us"`
			Commit struct {
				Collection string `json:"collection"`
			} `json:"commit"`
		}
		if json.Unmarshal([]byte(line), &e) == nil {
			n.micros = max(n.micros, e.TimeUS)
			n.append(e.Commit.Collection, []byte(strings.TrimSpace(line)))
		}
	}
}

// ReplayAt sends the given number of messages of the first protocol, in turns from lines, 2 ms apart.
// Times and keys are replaced, so that all records differ.
func (n *Network) ReplayAt(start int64, lines []string, count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range count {
		var e map[string]any
		if err := json.Unmarshal([]byte(lines[i%len(lines)]), &e); err != nil {
			panic(err)
		}
		n.micros = start + int64(i)*2000
		e["time_us"] = n.micros
		collection := ""
		if commit, ok := e["commit"].(map[string]any); ok {
			commit["rkey"] = fmt.Sprintf("3k%011d", i)
			collection, _ = commit["collection"].(string)
		}
		n.append(collection, mustJSON(e))
		last := &n.events[len(n.events)-1]
		last.zipped = n.first.EncodeAll(last.text, nil) // once, so that a benchmark does not measure it
	}
}

// nextAccount returns the account that publishes next. The caller holds n.mu.
func (n *Network) nextAccount() *account {
	i := len(n.posts) % accountCount
	for len(n.accounts) <= i {
		k := len(n.accounts)
		var seed [15]byte
		binary.BigEndian.PutUint64(seed[:], uint64(k)*0x9E3779B97F4A7C15+12345)
		n.accounts = append(n.accounts, &account{did: "did:plc:" + letters.EncodeToString(seed[:]), handle: fmt.Sprintf("user%d.bsky.social", k)})
	}
	if a := n.accounts[i]; a.gone { // a new account takes its place
		a = &account{did: a.did[:len(a.did)-6] + fmt.Sprintf("%06d", 222222+len(n.posts)%777777), handle: fmt.Sprintf("user%d.bsky.social", 1000+len(n.posts))}
		n.accounts[i] = a
	}
	return n.accounts[i]
}

// create adds a record. The caller holds n.mu.
func (n *Network) create(a *account, collection string, fields map[string]any) *post {
	record := maps.Clone(fields)
	record["$type"] = collection
	at := n.clock()
	if record["createdAt"] == nil {
		record["createdAt"] = at.Format("2006-01-02T15:04:05.000Z")
	}
	p := &post{author: a, collection: collection, record: record, rkey: "3m" + letters.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(len(n.posts))<<16|0xABCD))[2:]}
	p.guid = "at://" + a.did + "/" + collection + "/" + p.rkey
	n.posts[p.guid] = p
	n.commit(p, "create")
	return p
}

// commit sends the event of a record. The caller holds n.mu.
func (n *Network) commit(p *post, operation string) {
	n.clock()
	body := map[string]any{"rev": "3mptbypluud2a", "operation": operation, "collection": p.collection, "rkey": p.rkey}
	if operation != "delete" {
		body["record"], body["cid"] = p.record, cid(p.guid)
	}
	n.append(p.collection, mustJSON(map[string]any{"did": p.author.did, "time_us": n.micros, "kind": "commit", "commit": body}))
}

// cid returns something that looks like the checksum of a record.
func cid(guid string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(guid))
	return "bafyrei" + letters.EncodeToString(h.Sum(nil))
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
