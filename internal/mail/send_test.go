package mail

import (
	"errors"
	"strings"
	"testing"

	"belfry/internal/mail/mailtest"
)

func newSender(t *testing.T, server string) *Sender {
	t.Helper()
	s, err := NewSender(server, "Belfry <belfry@example.org>")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func invitation(to string) Message {
	return Message{
		ID: "mail_1", To: to, Name: "Ada\r\nBcc: eve@example.org", Letter: Letter{
			Subject:    "Join Harbour Bakery\r\nBcc: eve@example.org",
			Paragraphs: []string{"Ben invites you to <b>Harbour Bakery</b>."},
			Items:      []Item{{Title: "A post", Detail: "It failed.", URL: "https://example.org/p?a=1&b=2"}},
			Action:     Link{Label: "Join", URL: "https://example.org/invitations/x"},
			Footnote:   "Ignore this email if you did not expect it.",
		},
	}
}

func TestALetterArrivesAsTextAndHTML(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t)
	if err := newSender(t, server.URL()).Send(t.Context(), invitation("ada@example.org")); err != nil {
		t.Fatal(err)
	}
	got := server.Received()
	if len(got) != 1 || got[0].To != "ada@example.org" {
		t.Fatalf("received %+v", got)
	}
	if got[0].Subject != "Join Harbour Bakery Bcc: eve@example.org" || got[0].Header.Get("Bcc") != "" {
		t.Errorf("a line break in the subject makes a header: %v", got[0].Header)
	}
	if id := got[0].Header.Get("Message-Id"); id != "<mail_1@example.org>" {
		t.Errorf("Message-ID: %s", id)
	}
	for _, part := range []string{"<b>Harbour Bakery</b>", "https://example.org/invitations/x", "- A post", "p?a=1&b=2"} {
		if !strings.Contains(got[0].Text, part) {
			t.Errorf("the text lacks %q:\n%s", part, got[0].Text)
		}
	}
	for _, part := range []string{"&lt;b&gt;Harbour Bakery", `href="https://example.org/invitations/x"`, "p?a=1&amp;b=2"} {
		if !strings.Contains(got[0].HTML, part) {
			t.Errorf("the HTML lacks %q:\n%s", part, got[0].HTML)
		}
	}
}

func TestOnlyALastingRefusalIsFinal(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t)
	s := newSender(t, server.URL())
	for response, final := range map[string]bool{"550 no such mailbox": true, "451 come back later": false} {
		server.Refuse(response)
		err := s.Send(t.Context(), invitation("ada@example.org"))
		if err == nil || errors.Is(err, ErrRefused) != final {
			t.Errorf("%s: %v", response, err)
		}
	}
	if err := s.Send(t.Context(), invitation("not an address")); !errors.Is(err, ErrRefused) {
		t.Errorf("an address that is none: %v", err)
	}
}

func TestASignInThatTheServerRefusesIsTriedAgainLater(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t)
	s := newSender(t, "smtp://ada:wrong@"+server.Addr)
	if err := s.Send(t.Context(), invitation("ada@example.org")); err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("send: %v", err)
	}
	if err := s.CheckConnection(t.Context()); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Errorf("check: %v", err)
	}
	if err := newSender(t, server.URL()).CheckConnection(t.Context()); err != nil {
		t.Error(err)
	}
}

// A server elsewhere that offers no STARTTLS would get the password and the links in plain.
func TestAServerElsewhereMustOfferSTARTTLS(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t)
	s := newSender(t, "smtp://ada:secret@mail.example.org:25")
	s.dialTo = server.Addr
	err := s.Send(t.Context(), invitation("ada@example.org"))
	if err == nil || !strings.Contains(err.Error(), "STARTTLS") || len(server.Received()) != 0 {
		t.Errorf("%v; received %d", err, len(server.Received()))
	}
}

func TestAWrongAddressIsNamedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"http://ada:hidden@mail.example.org", "belfry@example.org"},
		{"smtp://ada:hidden@", "belfry@example.org"},
		{"smtp://ada:hidden@mail.example.org", "belfry"},
	} {
		if _, err := NewSender(c[0], c[1]); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%v: %v", c, err)
		}
	}
}
