package bench

import (
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"earshot"
)

// pictureHosts are local HTTP servers with pictures. All files differ.
type pictureHosts struct {
	servers []*http.Server
	urls    []string
}

// servePictures starts the hosts. Each has its own port, so it counts as a host of its own.
func servePictures(files []pictureFile) (*pictureHosts, error) {
	h := new(pictureHosts)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscanf(filepath.Base(r.URL.Path), "%d", &n)
		_, _ = w.Write(append(slices.Clone(files[n%len(files)].data), r.Host+r.URL.Path...)) // decoders ignore what follows the image
	})
	for range costHosts {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			h.close()
			return nil, err
		}
		server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(listener) }() // ends when the server is closed
		h.servers, h.urls = append(h.servers, server), append(h.urls, "http://"+listener.Addr().String())
	}
	return h, nil
}

func (h *pictureHosts) close() {
	for _, s := range h.servers {
		s.Close()
	}
}

// post returns a post with picture i of a series.
func (h *pictureHosts) post(series string, i int) earshot.Post {
	return earshot.Post{
		Source: earshot.News, GUID: fmt.Sprintf("%s %d", series, i), Time: firstDay.Add(time.Duration(i) * time.Second), Contents: "My new picture", Followers: earshot.Counted(1),
		Images: []earshot.Image{{URL: fmt.Sprintf("%s/%s/%d", h.urls[i%len(h.urls)], series, i)}},
	}
}
