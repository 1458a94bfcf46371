package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"belfry/internal/core"
)

// Message is an email to a person.
type Message struct {
	// ID identifies the message. It stays the same if the message is sent again, so that mail programs can recognize
	// duplicates.
	ID     string
	To     string
	Name   string // of the person; optional
	Letter Letter
}

// Sender sends messages by SMTP. It opens a connection for each message, and is safe for concurrent use.
type Sender struct {
	host    string
	tls     bool // use TLS from the beginning
	from    *mail.Address
	options []gomail.Option
	dialTo  string // the address to connect to instead of the server's; "" except in tests
}

// timeout is the time limit for each step of a connection.
const timeout = 15 * time.Second

// Ports of SMTP with STARTTLS, and of SMTP inside TLS.
const (
	portStartTLS = 587
	portTLS      = 465
)

// ErrRefused means that the server refuses a message and would refuse it again.
var ErrRefused = errors.New("the mail server refused this message")

// NewSender returns a sender for a server: smtp://USER:PASSWORD@HOST:PORT, which must offer STARTTLS unless it is on
// loopback, or smtps:// for TLS from the beginning. from is the sender's address, with or without a name. Errors do
// not contain the server's address, because it may contain a password.
func NewSender(serverURL, from string) (*Sender, error) {
	u, err := url.Parse(serverURL)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errors.New("the address of the mail server must be smtp://HOST:PORT or smtps://HOST:PORT")
	}
	s := &Sender{host: u.Hostname()}
	if s.from, err = mail.ParseAddress(from); err != nil {
		return nil, fmt.Errorf("the sender %q is not an email address: %w", from, err)
	}
	port := portStartTLS
	s.options = []gomail.Option{gomail.WithTimeout(timeout), gomail.WithHELO(s.senderDomain())}
	switch {
	case u.Scheme == "smtps":
		port, s.tls = portTLS, true
		s.options = append(s.options, gomail.WithSSL())
	case core.IsLoopback(s.host):
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, errors.New("the port of the mail server is not a number")
		}
	}
	s.options = append(s.options, gomail.WithPort(port))
	if u.User != nil {
		password, _ := u.User.Password()
		s.options = append(s.options, gomail.WithUsername(u.User.Username()), gomail.WithPassword(password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin,
				gomail.SMTPAuthCramMD5))
	}
	return s, s.withClient(func(*gomail.Client) error { return nil })
}

// withClient calls dialAndUse with a new client that is not connected yet, and then closes the client's connection,
// which the library leaves open after a failure.
func (s *Sender) withClient(dialAndUse func(*gomail.Client) error) error {
	var connection net.Conn
	defer func() {
		if connection != nil {
			_ = connection.Close()
		}
	}()
	dial := func(ctx context.Context, network, address string) (_ net.Conn, err error) {
		connection, err = s.dial(ctx, network, address)
		return connection, err
	}
	client, err := gomail.NewClient(s.host, append(slices.Clip(s.options), gomail.WithDialContextFunc(dial))...)
	if err != nil {
		return err
	}
	return dialAndUse(client)
}

// dial connects to the address, or to dialTo if that is set, with TLS if that is used from the beginning.
func (s *Sender) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if s.dialTo != "" {
		address = s.dialTo
	}
	if s.tls {
		dialer := tls.Dialer{Config: &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}}
		return dialer.DialContext(ctx, network, address)
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// senderDomain returns the part of the sender's address after the @.
func (s *Sender) senderDomain() string {
	_, domain, _ := strings.Cut(s.from.Address, "@")
	return domain
}

// SenderAddress returns the sender's address, without the name.
func (s *Sender) SenderAddress() string { return s.from.Address }

// Send sends a message. The error is ErrRefused if sending it again would not help.
func (s *Sender) Send(ctx context.Context, m Message) error {
	message, err := s.buildMessage(m)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	err = s.withClient(func(client *gomail.Client) error { return client.DialAndSendWithContext(ctx, message) })
	switch {
	case err == nil, message.IsDelivered(): // if delivered, only the end of the connection failed
		return nil
	case message.HasSendError() && !message.SendErrorIsTemp():
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return fmt.Errorf("send an email: %w", err)
}

func (s *Sender) buildMessage(m Message) (*gomail.Msg, error) {
	message := gomail.NewMsg()
	message.FromMailAddress(s.from)
	to, err := mail.ParseAddress(m.To)
	if err != nil {
		return nil, err
	}
	message.ToMailAddress(&mail.Address{Name: toOneLine(m.Name), Address: to.Address})
	message.Subject(toOneLine(m.Letter.Subject))
	message.SetMessageIDWithValue(m.ID + "@" + s.senderDomain())
	message.SetDate()
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	text, err := m.Letter.Text()
	if err != nil {
		return nil, err
	}
	html, err := m.Letter.HTML()
	if err != nil {
		return nil, err
	}
	message.SetBodyString(gomail.TypeTextPlain, text)
	message.AddAlternativeString(gomail.TypeTextHTML, html)
	return message, nil
}

// toOneLine replaces line breaks, which could begin another header, and other white space with single spaces.
func toOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// CheckConnection connects to the server and signs in, but sends nothing.
func (s *Sender) CheckConnection(ctx context.Context) error {
	return s.withClient(func(client *gomail.Client) error {
		if err := client.DialWithContext(ctx); err != nil {
			return err
		}
		return client.Close()
	})
}
