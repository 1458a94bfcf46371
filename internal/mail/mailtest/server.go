// Package mailtest provides a mail server for tests, which stores the emails that it receives.
package mailtest

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// Mail is an email that the server has accepted.
type Mail struct {
	To         string
	Header     mail.Header
	Subject    string
	Text, HTML string
}

// Server accepts mail on loopback without TLS.
type Server struct {
	Addr string

	mu       sync.Mutex
	received []Mail
	refuse   string // the response to RCPT; empty accepts
	listener net.Listener
	open     sync.WaitGroup
}

// New starts a server that stops with the test.
func New(t testing.TB) *Server {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Addr: listener.Addr().String(), listener: listener}
	s.open.Go(s.acceptConnections)
	t.Cleanup(func() {
		_ = listener.Close()
		s.open.Wait()
	})
	return s
}

// URL returns the address for BELFRY_SMTP_URL.
func (s *Server) URL() string { return "smtp://ada:secret@" + s.Addr }

// Refuse makes the server respond to every recipient with a response such as "550 no such mailbox". With "", it accepts
// recipients again.
func (s *Server) Refuse(response string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = response
}

// Received returns all accepted mail, oldest first.
func (s *Server) Received() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.received...)
}

func (s *Server) acceptConnections() {
	for {
		connection, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.open.Go(func() {
			s.serveConnection(connection)
			_ = connection.Close()
		})
	}
}

// serveConnection serves SMTP until the client disconnects.
func (s *Server) serveConnection(connection net.Conn) {
	lines := textproto.NewReader(bufio.NewReader(connection))
	say := func(line string) { _, _ = fmt.Fprintf(connection, "%s\r\n", line) }
	say("220 mailtest")
	to := ""
	for {
		line, err := lines.ReadLine()
		if err != nil {
			return
		}
		verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
		switch verb {
		case "EHLO", "HELO":
			say("250-mailtest\r\n250 AUTH PLAIN")
		case "AUTH":
			credentials, _ := base64.StdEncoding.DecodeString(line[strings.LastIndex(line, " ")+1:])
			if string(credentials) == "\x00ada\x00secret" {
				say("235 welcome")
			} else {
				say("535 who are you?")
			}
		case "RCPT":
			s.mu.Lock()
			refuse := s.refuse
			s.mu.Unlock()
			if refuse != "" {
				say(refuse)
				continue
			}
			to = strings.Trim(line[strings.Index(line, ":")+1:], "<> ")
			say("250 ok")
		case "DATA":
			say("354 go on")
			raw, err := lines.ReadDotBytes()
			if err != nil {
				return
			}
			s.storeMail(to, raw)
			say("250 accepted")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (s *Server) storeMail(to string, raw []byte) {
	m := Mail{To: to}
	if message, err := mail.ReadMessage(bytes.NewReader(raw)); err == nil {
		m.Header = message.Header
		m.Subject, _ = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
		m.Text, m.HTML = readParts(message)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = append(s.received, m)
}

func readParts(message *mail.Message) (text, html string) {
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		return "", ""
	}
	for parts := multipart.NewReader(message.Body, parameters["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err != nil {
			return text, html
		}
		body, _ := io.ReadAll(quotedprintable.NewReader(part))
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			html = string(body)
		} else {
			text = string(body)
		}
	}
}
