package webtest

import (
	"bufio"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strings"
	"sync"
)

// A mailServer is a mail server that keeps what it receives.
type mailServer struct {
	net.Listener
	mu    sync.Mutex // guards mails
	mails []mail
}

// A mail is an email that a mail server received.
type mail struct {
	to   []string
	text string // header and body
}

// startMail starts a mail server on this machine.
func startMail() *mailServer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // as httptest does
	}
	s := &mailServer{Listener: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // closed
			}
			go s.talk(c)
		}
	}()
	return s
}

func (s *mailServer) address() string { return s.Addr().String() }

// talk speaks as much SMTP with a client as it takes to receive mails.
func (s *mailServer) talk(c net.Conn) {
	defer c.Close()
	r := textproto.NewReader(bufio.NewReader(c))
	say := func(line string) { io.WriteString(c, line+"\r\n") }
	say("220 127.0.0.1 ESMTP")
	var m mail
	for {
		line, err := r.ReadLine()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "EHLO":
			say("250-127.0.0.1")
			say("250 8BITMIME")
		case "RCPT":
			_, to, _ := strings.Cut(rest, "<")
			to, _, _ = strings.Cut(to, ">")
			m.to = append(m.to, to)
			say("250 OK")
		case "DATA":
			say("354 Go on")
			data, err := r.ReadDotBytes()
			if err != nil {
				return
			}
			m.text = string(data)
			s.keep(m)
			m = mail{}
			say("250 OK")
		case "QUIT":
			say("221 Bye")
			return
		default:
			say("250 OK")
		}
	}
}

func (s *mailServer) keep(m mail) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, m)
}

// to returns the mails for recipients of a domain.
func (s *mailServer) to(domain string) (found []mail) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.mails {
		if slices.ContainsFunc(m.to, func(to string) bool { return strings.HasSuffix(to, "@"+domain) }) {
			found = append(found, m)
		}
	}
	return found
}

// recipients returns the recipients of all mails to a domain, sorted.
func (s *mailServer) recipients(domain string) (all []string) {
	for _, m := range s.to(domain) {
		all = append(all, m.to...)
	}
	slices.Sort(all)
	return all
}
