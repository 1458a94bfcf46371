// Package network says what a network is: its limits, settings, checks, connection and publishing steps,
// and the one HTTP client through which every network is reached.
package network

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"time"

	"belfry/internal/core"
)

// Rules are what the service knows about a network without calling it: what it accepts. Every network has them,
// in its own folder, whether or not it can be published to.
type Rules interface {
	Describe() Description
	// NormalizeSettings decodes a settings block strictly and returns it in normal form. An unknown key or a
	// wrong value is an invalid_request that names the nearest known one. Nil and {} are the defaults.
	NormalizeSettings(block json.RawMessage) (json.RawMessage, error)
	// CheckDraft returns what the network would refuse (issues) and what it advises against (warnings), without a call.
	CheckDraft(Draft) (issues, warnings []core.Issue)
}

// Network is a network with a connector: one that accounts are connected to and posts are published to.
//
// Every call that reaches the network returns either a value or an *Error whose kind says what may be
// concluded. Create, Status, Find and Link may be repeated freely; Publish is the one irreversible call.
type Network interface {
	Rules
	// IsConfigured tells whether this server has the credentials that connecting needs.
	IsConfigured() bool

	// AuthorizeURL is the consent page a person is sent to.
	AuthorizeURL(AuthRequest) string
	// ExchangeCode turns the code of the way back into the profiles that the person may publish to.
	ExchangeCode(ctx context.Context, g AuthResponse) ([]Profile, error)
	// VerifyToken asks the network whether the token still works.
	VerifyToken(ctx context.Context, t Token) error

	// DeliveryFor is how such a post gets to the network. It depends only on the kind of post, on its files and on
	// the login by which its account was connected.
	DeliveryFor(d Draft) Delivery
	// CreateHandle makes the network's own object, of which nothing is visible. Not called in FlowOneCall.
	CreateHandle(ctx context.Context, it Item) (handle string, err error)
	// AdvanceStatus asks about the handle; in FlowOneCall the handle is "" and the question is whether the
	// account can be published to right now (Ready).
	AdvanceStatus(ctx context.Context, it Item, handle string) (Status, error)
	// Publish makes the irreversible call, and no other before it. Its status is Done, with the id and, where
	// the same answer gives it, the address of the post; or Pending when the network has taken the call and
	// AdvanceStatus will tell when the post is there, with the id if it is known already.
	Publish(ctx context.Context, it Item, handle string) (Status, error)
	// FindPost searches the account for the post since it.ArmedAt, and is Done only for a unique match.
	FindPost(ctx context.Context, it Item) (Status, error)
	// FetchLink is the address of the network's own page of the post.
	FetchLink(ctx context.Context, it Item, externalID string) (string, error)
}

// Refresher is a network whose tokens are renewed without a person.
type Refresher interface {
	// RefreshToken returns the whole renewed token: what the network left out is as it was. Nobody else renews the
	// token of the account meanwhile.
	RefreshToken(ctx context.Context, t Token) (Token, error)
}

// Informer is a network that tells what one account may do, beyond what Describe says of all accounts.
type Informer interface {
	// ReadAccountFacts asks for the facts of the account with the given id at the network. It changes nothing there.
	// An error says nothing about the account.
	ReadAccountFacts(ctx context.Context, profile string, t Token) (core.Facts, error)
}

// ProfileReader is a network that shows an account's names and picture to its own token.
type ProfileReader interface {
	// ReadProfile reads the profile with the given id at the network as it is now, without a token. An error says nothing
	// about the account.
	ReadProfile(ctx context.Context, profile string, t Token) (Profile, error)
}

// Finisher is a network on which steps follow once a post is live, such as a picture for a video. None of them makes
// the post live or takes it down.
type Finisher interface {
	// ListFinalSteps names what follows for such a post, in words that a sentence can hold; nil for nothing.
	ListFinalSteps(d Draft) []string
	// RunFinalStep does one of the steps. It may be called again after any outcome and looks first where that
	// matters. After a Rejected error, it is not called again, and the words of the error are added to the post's
	// timeline.
	RunFinalStep(ctx context.Context, it Item, externalID, step string) error
}

// Description is what is fixed about a network.
type Description struct {
	ID    core.Platform
	Name  string // as people write it
	Needs string // one sentence: what a person needs in order to connect
	// Profile is what an account is called there: profile, Page, channel.
	Profile string
	Limits  core.Limits
	Fields  []Field

	// What follows is a connector's.

	// Quotas are those of its budgets that people want to see: of what they publish, in a day or so.
	Quotas []Budget
	// ProfileURL is where a browser finds a profile, with {id} or {username} in its place; "" when there is no
	// such address.
	ProfileURL string
	PKCE       bool
	// NoLink says in a sentence which posts have no link there; "" where all have one.
	NoLink string
	// Ownership says what an operator must do before the network downloads files from this server, whose files begin with
	// {prefix}; "" for nothing.
	Ownership string
	// Settle is how long after an irreversible call without an answer its effect may still appear.
	Settle time.Duration
	// FirstPoll is how long after making a handle it is asked about for the second time.
	FirstPoll time.Duration
	// ErrorsMayPublish tells that the network has been seen to publish a post and answer the call with an
	// error. The post is then searched for again after Settle before it is called refused.
	ErrorsMayPublish bool
}

// Field is one setting of a post, as a form draws it and the API's description shows it.
type Field struct {
	Name    string // JSON name
	Label   string
	Kind    FieldKind
	Choices []Choice
	Help    string
	Default string         // what holds without it; "" where the network decides, or nothing is done
	Max     int            // length, entries or number; 0 for none
	Pattern *regexp.Regexp // what a text, or each entry of a list, must match; nil for none
	Example string         // a text that does
	Ignored bool           // accepted and not used (Spec §9)
	// Ask tells that the network wants a person to choose: a form has no default for it.
	Ask   bool
	Files bool // of use to a post with files only
}

// FieldKind is how a setting is entered.
type FieldKind string

// Kinds of field.
const (
	FieldChoice FieldKind = "choice"
	FieldSwitch FieldKind = "switch"
	FieldText   FieldKind = "text"
	FieldURL    FieldKind = "url"
	FieldList   FieldKind = "list"
	FieldDate   FieldKind = "date"
	FieldNumber FieldKind = "number"
)

// Choice is one value of a choice and its label.
type Choice struct{ Value, Label string }

// Draft is a post before it is one: what Check looks at.
type Draft struct {
	Text     string
	Title    string
	Tags     []string
	Media    []core.Media
	Settings json.RawMessage // in normal form
	// Account is whose post it would be; a check may refuse what that account cannot do.
	Account core.Account
	// Facts are what its network has told about the account, as far as it counts for the post.
	Facts core.Facts
}

// Delivery is how a kind of post gets to its network.
type Delivery struct {
	Flow core.Flow
	// Ahead is how long before its time a post may be prepared, by Create and Status: nothing of that is visible. 0
	// means that all calls are made at its time.
	Ahead time.Duration
	// Files tells who brings the bytes of files; "" for a post without any.
	Files Transfer
	// Gated tells that the network fetches the files by itself after Create, and then shows the post. The addresses of
	// a call of Create give them out only after the arm of its handle is saved, so that Publish makes no call.
	Gated bool
	// Budgets are the published limits of such a post's calls, at most one for each call.
	Budgets []Budget
}

// PreparedAhead is how long before its time a post is prepared whose files the network fetches and processes.
const PreparedAhead = 10 * time.Minute

// Transfer is who brings the bytes of a post's files to its network.
type Transfer string

// Ways in which bytes get to a network.
const (
	Pulled Transfer = "pulled" // the network fetches File.URL
	Pushed Transfer = "pushed" // the connector sends File.Part
	Either Transfer = "either" // the network can fetch them, and the connector sends them where it cannot
)

// Item is a post on its way out.
type Item struct {
	Post     core.PostID
	Text     string
	Title    string
	Tags     []string
	Files    []File
	Settings json.RawMessage
	// Profile is the account's id at the network, Username its handle there.
	Profile  string
	Username string
	Token    Token
	// HandleAt is when the handle was made, or was last seen to be made; zero when there is none.
	HandleAt time.Time
	// ArmedAt is when the irreversible call was first about to be made; zero before.
	ArmedAt time.Time
	// ExternalID is the network's id of the post, if Publish or Status has returned it before the post was Done.
	ExternalID string
	// Known are the network's ids of the account's other posts since then: a search passes them over, or a
	// post with the text of another would be taken for it.
	Known []string
}

// Draft is the item as it was before it went out.
func (it Item) Draft() Draft {
	d := Draft{Text: it.Text, Title: it.Title, Tags: it.Tags, Settings: it.Settings}
	for _, f := range it.Files {
		d.Media = append(d.Media, f.Media)
	}
	return d
}

// File is a file of a post on its way out. A network fetches its bytes from URL, or the connector sends them.
type File struct {
	core.Media
	// URL is where the network fetches the bytes: it needs no credential and works for a day at least. It is "" if this
	// server's address is not public, so that the bytes have to be pushed.
	URL string
	// Open opens the bytes; see Part. The context counts for as long as they are open.
	Open func(context.Context) (io.ReadSeekCloser, error)
}

// PartBody is the body of a call that sends size bytes of the file, from an offset on.
func (f File) PartBody(offset, size int64) *Body {
	return &Body{Size: size, Type: f.Mime, Open: func(ctx context.Context) (io.ReadCloser, error) {
		file, err := f.Open(ctx)
		if err != nil {
			return nil, err
		}
		if _, err := file.Seek(offset, io.SeekStart); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return filePart{io.LimitReader(file, size), file}, nil
	}}
}

// filePart reads a part of a file and closes the whole.
type filePart struct {
	io.Reader
	io.Closer
}

// Status is what the network says of a handle, a search or the irreversible call: Verdict is one of Done,
// Ready, Pending, Progress, Dead, Broken, Doomed, Absent and Ambiguous. ExternalID and URL, the address of the post's
// page, are set on Done where the network gives them. ExternalID may also come with Pending: it is kept until the
// post is Done, and is its id if Done gives none.
type Status struct {
	Verdict    core.Verdict
	ExternalID string
	URL        string
	// Handle is what Status has made of the handle it was asked about, such as a whole of its parts or the offset of the
	// next bytes; "" when nothing. It is made before the arm only, and replaces that handle.
	Handle  string
	Message string // the network's words, where it has any
	Hint    string // what a person can do about Doomed, when we know
	Code    string
	// Lost is the account's status, where Doomed is because the access to it was withdrawn.
	Lost core.AccountStatus
}

// AuthRequest is what a consent page is asked with.
type AuthRequest struct {
	State       string
	RedirectURI string
	Challenge   string // PKCE S256, where the network offers it
}

// AuthResponse is the way back from a consent page.
type AuthResponse struct {
	Code        string
	RedirectURI string
	Verifier    string // PKCE
}

// Profile is something a person may publish to.
type Profile struct {
	ExternalID  string
	Username    string
	DisplayName string
	AvatarURL   string
	Login       string // by which it was connected, where the network has several; a word of the network's
	Token       Token
	// Unusable says in a sentence why it cannot be connected; empty when it can.
	Unusable string
}

// Token is an account's credential at its network. It is sealed wherever it is stored.
type Token struct {
	Access   Secret    `json:"access"`
	Refresh  Secret    `json:"refresh,omitempty"`
	IssuedAt time.Time `json:"issuedAt,omitzero"`
	// LapsesAt is when Access stops working and Refresh must give another; zero when Access works until ExpiresAt.
	LapsesAt time.Time `json:"lapsesAt,omitzero"`
	// ExpiresAt is when a person must connect the account again; zero when there is no such date.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// RefreshAt is when it should be renewed ahead of that; zero when it cannot or need not be. A token that has lapsed
	// is renewed before it is used, whatever its RefreshAt.
	RefreshAt time.Time `json:"refreshAt,omitzero"`
	Scopes    []string  `json:"scopes,omitempty"`
	// AuthResponse names what the person has given this app, of which the token is a part; see FormatGrantID.
	// Revoking it ends all tokens of the same grant. "" where it is not known.
	Grant string `json:"grant,omitempty"`
	// Extra is what else a login gives and later calls need, such as another token or the kind of login.
	Extra map[string]Secret `json:"extra,omitempty"`
}

// renewAhead is how long before it lapses an access token is no longer used.
const renewAhead = time.Minute

// MustRefresh tells whether the access token must be renewed before it is used.
func (t Token) MustRefresh(now time.Time) bool {
	return !t.LapsesAt.IsZero() && !now.Add(renewAhead).Before(t.LapsesAt)
}

// Driver is a network's entry in network/all: New makes its connector; a network without one has Rules.
type Driver struct {
	ID        core.Platform
	Variables []Variable
	New       func(Environment) (Network, error)
	Rules     Rules
	// Errors lists the error codes that the network documents; nil for a network without a connector.
	Errors func() []Documented
}

// Variable is a configuration variable that a network declares, without the prefix BELFRY_.
type Variable struct {
	Name    string
	Default string
	Help    string
	Secret  bool
}

// Environment is what a network is created with.
type Environment struct {
	Client *Client
	// FindConnector reads one of the network's own variables, without the BELFRY_ prefix.
	Get func(name string) string
	Now func() time.Time
}
