package browsertest

import (
	"context"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// A File is a downloaded file.
type File struct {
	Name string // as suggested by the page
	Data []byte
}

// Download runs act, which starts a download, and returns the file once it is complete.
func (p *Page) Download(act func()) File {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	here := chromedp.FromContext(ctx)
	folder, yes := p.t.TempDir(), true
	_, err := cdp.Call(ctx, here.Browser, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, BrowserContextID: here.BrowserContextID, DownloadPath: folder, EventsEnabled: &yes,
	})
	if err != nil {
		p.t.Fatalf("download: %v", err)
	}
	begun := cdp.Events(ctx, here.Browser, browser.DownloadWillBegin)
	progress := cdp.Events(ctx, here.Browser, browser.DownloadProgress)
	act()
	for b, err := range begun {
		if err != nil {
			p.t.Fatalf("no download begins: %v", err)
		}
		if string(b.FrameID) != string(here.Target.TargetID) {
			continue // started by another page
		}
		for e, err := range progress {
			switch {
			case err != nil:
				p.t.Fatalf("download of %s: %v", b.SuggestedFilename, err)
			case e.GUID == b.GUID && e.State == browser.DownloadProgressStateCanceled:
				p.t.Fatalf("download of %s: broken off", b.SuggestedFilename)
			case e.GUID == b.GUID && e.State == browser.DownloadProgressStateCompleted:
				return p.downloaded(b.SuggestedFilename, filepath.Join(folder, b.GUID))
			}
		}
	}
	p.t.Fatal("no download begins")
	return File{}
}

func (p *Page) downloaded(name, path string) File {
	p.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	return File{Name: name, Data: data}
}

// SetFiles selects files in a file field, as its dialog does.
func (p *Page) SetFiles(selector string, files ...string) {
	p.t.Helper()
	p.until("put files into "+selector, func(ctx context.Context, t *chromedp.Target) error {
		found, err := locate(ctx, t, selector)
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, t, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: absolute(files), ObjectID: found[0]})
		return err
	})
}

// Drop drags files onto an element and drops them there.
func (p *Page) Drop(selector string, files ...string) {
	p.t.Helper()
	p.until("drop files on "+selector, func(ctx context.Context, t *chromedp.Target) error {
		at, err := pointOf(ctx, t, selector, nil, nil)
		if err != nil {
			return err
		}
		data := &input.DragData{Items: []*input.DragDataItem{}, Files: absolute(files), DragOperationsMask: 1}
		for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
			if _, err := cdp.Call(ctx, t, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: at.X, Y: at.Y, Data: data}); err != nil {
				return err
			}
		}
		return nil
	})
}

// absolute returns absolute paths.
func absolute(files []string) []string {
	var all []string
	for _, f := range files {
		if path, err := filepath.Abs(f); err == nil {
			f = path
		}
		all = append(all, f)
	}
	return all
}
