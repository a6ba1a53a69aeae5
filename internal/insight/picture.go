package insight

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

const (
	// MaxPictured is the maximum number of posts whose pictures are grouped, the newest ones.
	MaxPictured = 5000

	// maxCopyDistance is the maximum number of bits in which the perceptual hashes of copies of a
	// picture differ.
	maxCopyDistance = 8
)

// A PictureGroup is a picture and its copies, which may differ in size and compression.
type PictureGroup struct {
	Picture *earshot.Picture // of the largest copy
	Posts   int64            // that have it
	Files   int              // different ones
	First   earshot.Post     // the earliest post that has it
	Last    time.Time        // of the latest
}

// Pictures are the pictures of posts that were looked at.
type Pictures struct {
	Groups []PictureGroup
	Posts  int64 // posts with an image, including those that nobody has looked at
	Read   int64 // newest posts that the groups cover; less than Posts if there are too many
}

// Pictures returns the pictures of m's posts, without those of the given sources. Groups are sorted
// by their last post, newest first, or by the number of posts, largest first.
func (s *Service) Pictures(ctx context.Context, m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, without []earshot.Source, byCount bool) (Pictures, error) {
	refinement.Having = append(slices.Clip(refinement.Having), poststore.Having{By: poststore.ByPicture, Keys: []string{"yes"}})
	if len(without) > 0 {
		refinement.Except = append(slices.Clip(refinement.Except), poststore.Selection{Sources: without})
	}
	posts, total, err := s.Posts(ctx, m, days, refinement, MaxPictured)
	if err != nil {
		return Pictures{}, err
	}
	found := Pictures{Groups: groupPictures(posts), Posts: total, Read: int64(len(posts))}
	slices.SortStableFunc(found.Groups, func(a, b PictureGroup) int {
		newest := cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Picture.Hash, b.Picture.Hash))
		if byCount {
			return cmp.Or(cmp.Compare(b.Posts, a.Posts), newest)
		}
		return newest
	})
	return found, nil
}

// groupPictures groups the pictures of posts, which must be sorted from the newest to the oldest. A
// picture joins the first group with a similar one.
func groupPictures(posts []earshot.Post) []PictureGroup {
	var groups []PictureGroup
	byHash := map[string]int{} // content hash -> index in groups
	for i := range posts {
		var counted []int // groups that count the post already
		for k := range posts[i].Images {
			p := posts[i].Images[k].Picture
			if p == nil {
				continue
			}
			at, known := byHash[p.Hash]
			if !known {
				if at = similarGroup(groups, p); at < 0 {
					at = len(groups)
					groups = append(groups, PictureGroup{Picture: p, Last: posts[i].Time})
				}
				byHash[p.Hash] = at
				groups[at].Files++
			}
			g := &groups[at]
			if p.Width*p.Height > g.Picture.Width*g.Picture.Height {
				g.Picture = p
			}
			if !slices.Contains(counted, at) {
				counted = append(counted, at)
				g.Posts++
				g.First = posts[i]
			}
		}
	}
	return groups
}

// similarGroup returns the index of the first group that looks like a picture, or -1. A plain picture
// has no features, and is similar to nothing.
func similarGroup(groups []PictureGroup, p *earshot.Picture) int {
	if p.Similar == 0 {
		return -1
	}
	return slices.IndexFunc(groups, func(g PictureGroup) bool {
		return g.Picture.Similar != 0 && bits.OnesCount64(g.Picture.Similar^p.Similar) <= maxCopyDistance
	})
}
