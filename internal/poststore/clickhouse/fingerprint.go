package clickhouse

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// Fingerprint implements [poststore.Reader]. It consists of two sums of hashes, which do not depend on
// the order of posts. A fast hash is enough: keys are already cryptographic hashes, so posts
// cannot be chosen such that their hashes cancel out.
func (s *Store) Fingerprint(ctx context.Context, id poststore.SetID, from, to time.Time) (f poststore.Fingerprint, err error) {
	v, err := s.view(ctx)
	if err != nil {
		return f, err
	}
	of := poststore.Selection{Set: id, From: from, To: to}
	args := new(chhttp.Args)
	cond, _ := newSelector(v, &of, copiesOf(&of), prepared{}, args).compile() // always exact
	var first, second proto.ColUInt64
	err = s.query(ctx, "SELECT sumWithOverflow(xxh3(1, key, position, models)) AS a, sumWithOverflow(xxh3(2, key, position, models)) AS b FROM posts WHERE "+cond, args,
		proto.Results{{Name: "a", Data: &first}, {Name: "b", Data: &second}}, func(rows int) error {
			binary.BigEndian.PutUint64(f[:], first.Row(rows-1))
			binary.BigEndian.PutUint64(f[8:], second.Row(rows-1))
			return nil
		})
	return f, err
}
