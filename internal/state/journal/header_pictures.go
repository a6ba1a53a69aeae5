package journal

import "earshot"

// picturesJSON is the stored form of Pictures, for example
//
//	{"posts":[{"network":"Bluesky","guid":"at://…","at":812}],
//	 "found":{"https://example.com/a.jpg":{"hash":"9f86…","similar":1,"width":640,"height":480,"objects":[{"id":3,"name":"cat","score":0.9}]}}}
type picturesJSON struct {
	Posts []picturedPostJSON      `json:"posts"`
	Found map[string]*pictureJSON `json:"found,omitempty"`
}

type picturedPostJSON struct {
	Network       string `json:"network,omitempty"`
	ContentSource int64  `json:"source,omitempty"`
	GUID          string `json:"guid"`
	Position      uint64 `json:"at,omitempty"`
}

type pictureJSON struct {
	Hash    string       `json:"hash"`
	Similar uint64       `json:"similar,omitempty"`
	Width   int          `json:"width,omitempty"`
	Height  int          `json:"height,omitempty"`
	Model   string       `json:"model,omitempty"`
	Brands  []brandJSON  `json:"brands,omitempty"`
	Objects []objectJSON `json:"objects,omitempty"`
}

type brandJSON struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Size  string  `json:"size,omitempty"`
	Score float64 `json:"score"`
}

type objectJSON struct {
	Score     float64 `json:"score"`
	ClassID   int64   `json:"id"`
	ClassName string  `json:"name"`
}

func newPictures(p *Pictures) *picturesJSON {
	h := &picturesJSON{Posts: make([]picturedPostJSON, len(p.Posts)), Found: make(map[string]*pictureJSON, len(p.Found))}
	for i, post := range p.Posts {
		h.Posts[i] = picturedPostJSON{string(post.Key.Source), int64(post.Key.ContentSource), post.Key.GUID, uint64(post.Position)}
	}
	for url, found := range p.Found {
		f := &pictureJSON{Hash: found.Hash, Similar: found.Similar, Width: found.Width, Height: found.Height, Model: found.Model}
		for _, b := range found.Brands {
			f.Brands = append(f.Brands, brandJSON(b))
		}
		for _, o := range found.Objects {
			f.Objects = append(f.Objects, objectJSON(o))
		}
		h.Found[url] = f
	}
	return h
}

func (h *picturesJSON) pictures() *Pictures {
	p := &Pictures{}
	for _, post := range h.Posts {
		key := earshot.PostKey{Source: earshot.Source(post.Network), ContentSource: earshot.ContentSourceID(post.ContentSource), GUID: post.GUID}
		p.Posts = append(p.Posts, PicturedPost{key, earshot.Position(post.Position)})
	}
	for url, f := range h.Found {
		if f == nil {
			continue
		}
		found := &earshot.Picture{Hash: f.Hash, Similar: f.Similar, Width: f.Width, Height: f.Height, Model: f.Model}
		for _, b := range f.Brands {
			found.Brands = append(found.Brands, earshot.ImageBrand(b))
		}
		for _, o := range f.Objects {
			found.Objects = append(found.Objects, earshot.ImageObject(o))
		}
		if p.Found == nil {
			p.Found = make(map[string]*earshot.Picture, len(h.Found))
		}
		p.Found[url] = found
	}
	return p
}
