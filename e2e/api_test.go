package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"
)

// client calls /v1 with a key.
type client struct {
	t      testing.TB
	url    string
	key    string
	header map[string]string // sent with each request
}

func (s *service) newClient(key string) *client { return &client{t: s.t, url: s.url + "/v1", key: key} }

// withHeader returns a copy of the client that sends one more header, or an empty one in place of its own.
func (c *client) withHeader(name, value string) *client {
	other := *c
	other.header = maps.Clone(c.header)
	if other.header == nil {
		other.header = map[string]string{}
	}
	other.header[name] = value
	return &other
}

// inTest returns a copy of the client that reports its failures to another test.
func (c *client) inTest(t testing.TB) *client {
	other := *c
	other.t = t
	return &other
}

// answer is a decoded response of the API, errors included.
type answer struct {
	Status int               `json:"-"`
	Header map[string]string `json:"-"`
	Raw    string            `json:"-"`

	Code, Message, Hint string
	ID                  string
	Posts               []post
	NextCursor          *string
	Events              []struct{ Kind, Message string }
	Rows                []struct {
		AccountID string
		Issues    []struct{ Code string }
	}
	OK bool
}

type post struct {
	ID, AccountID, Platform, Text, Status, StatusLine string
	MediaIDs                                          []string
	ExternalID, ExternalURL                           *string
	PublishAt                                         *time.Time
	Attempts                                          int
	Error                                             *struct{ Code, Message string }
}

func (c *client) do(method, path string, body any) answer {
	c.t.Helper()
	return c.doWithHeader(nil, method, path, body)
}

func (c *client) doWithHeader(header map[string]string, method, path string, body any) answer {
	c.t.Helper()
	all := map[string]string{"Authorization": "Bearer " + c.key}
	maps.Copy(all, c.header)
	maps.Copy(all, header)
	status, got, raw := sendRequest(c.t, method, c.url+path, all, body)
	a := answer{Status: status, Raw: string(raw), Header: map[string]string{}}
	for name := range got {
		a.Header[name] = got.Get(name)
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &a); err != nil {
			c.t.Fatalf("%s %s answers %d and no JSON: %s", method, path, status, raw)
		}
	}
	return a
}

// requireStatus fails the test unless the answer has the status.
func (a answer) requireStatus(t testing.TB, status int) answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("answered %d: %s; want %d", a.Status, a.Raw, status)
	}
	return a
}

type fields map[string]any

func newPostBody(text string, when any, accounts ...string) fields {
	return fields{"targets": fields{"accountIds": accounts}, "text": text, "when": when, "confirm": true}
}

func (c *client) createPost(text string, when any, account string) post {
	c.t.Helper()
	return c.do("POST", "/posts", newPostBody(text, when, account)).requireStatus(c.t, 201).Posts[0]
}

func (c *client) getPost(id string) post {
	c.t.Helper()
	a := c.do("GET", "/posts/"+id, nil).requireStatus(c.t, 200)
	var p post
	if err := json.Unmarshal([]byte(a.Raw), &p); err != nil {
		c.t.Fatal(err)
	}
	return p
}

// waitForStatus waits until the post has the status.
func (c *client) waitForStatus(id, status string, within time.Duration) post {
	c.t.Helper()
	var p post
	eventually(c.t, within, fmt.Sprintf("post %s is %s", id, status), func() bool {
		p = c.getPost(id)
		return p.Status == status
	})
	return p
}
