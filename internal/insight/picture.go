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

// Pictures returns the pictures of m's posts, except for posts of the given sources. Groups are sorted
// by their last post, newest first, or by the number of posts, largest first.
func (s *Service) Pictures(ctx context.Context, m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, without []earshot.Source, byCount bool) (Pictures, error) {
	posts, total, err := s.pictured(ctx, m, days, refinement, without)
	if err != nil {
		return Pictures{}, err
	}
	groups, _ := groupPictures(posts)
	found := Pictures{Groups: groups, Posts: total, Read: int64(len(posts))}
	slices.SortStableFunc(found.Groups, func(a, b PictureGroup) int {
		newest := cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Picture.Hash, b.Picture.Hash))
		if byCount {
			return cmp.Or(cmp.Compare(b.Posts, a.Posts), newest)
		}
		return newest
	})
	return found, nil
}

// PicturePosts returns the posts of m with a picture or a copy of it, newest first. They are the posts
// that its group counts in [Service.Pictures] with the same arguments; there may be none.
func (s *Service) PicturePosts(ctx context.Context, m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, without []earshot.Source, hash string) ([]earshot.Post, error) {
	posts, _, err := s.pictured(ctx, m, days, refinement, without)
	if err != nil {
		return nil, err
	}
	_, byHash := groupPictures(posts)
	group, ok := byHash[hash]
	if !ok {
		return nil, nil
	}
	isCopy := func(i earshot.Image) bool { return i.Picture != nil && byHash[i.Picture.Hash] == group }
	var found []earshot.Post
	for i := range posts {
		if slices.ContainsFunc(posts[i].Images, isCopy) {
			found = append(found, posts[i])
		}
	}
	return found, nil
}

// pictured returns the newest posts with an image, without those of the given sources, and how many
// there are.
func (s *Service) pictured(ctx context.Context, m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, without []earshot.Source) ([]earshot.Post, int64, error) {
	refinement.Having = append(slices.Clip(refinement.Having), poststore.Having{By: poststore.ByPicture, Keys: []string{"yes"}})
	if len(without) > 0 {
		refinement.Except = append(slices.Clip(refinement.Except), poststore.Selection{Sources: without})
	}
	return s.Posts(ctx, m, days, refinement, MaxPictured)
}

// groupPictures groups the pictures of posts, which must be sorted from the newest to the oldest. A
// picture joins the first group with a similar one. byHash maps content hashes to indexes of groups.
func groupPictures(posts []earshot.Post) (groups []PictureGroup, byHash map[string]int) {
	byHash = map[string]int{}
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
	return groups, byHash
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
