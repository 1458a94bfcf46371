// Package network defines networks: their limits, settings, checks, connection and publishing steps, and the one HTTP
// client that calls them.
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

// Rules are the properties and checks of a network that need no call to it. Every network has them in its folder, even
// if it has no connector.
type Rules interface {
	Describe() Description
	// NormalizeSettings decodes a settings block strictly and returns it in normal form. An unknown key or value is an
	// invalid_request error that suggests the closest known one. Nil and {} are the defaults.
	NormalizeSettings(block json.RawMessage) (json.RawMessage, error)
	// CheckDraft returns what the network would refuse (issues) and what it advises against (warnings), without a call.
	CheckDraft(Draft) (issues, warnings []core.Issue)
	// PostContentType returns the key of the draft's content type in Limits.ContentTypes.
	PostContentType(Draft) string
}

// Network is a network with a connector: accounts can be connected and posts published.
//
// Every method that calls the network returns either a value or an *Error whose kind says what can be concluded. Only
// Publish is irreversible. CreateHandle, AdvanceStatus, FindPost and FetchLink can be repeated freely.
type Network interface {
	Rules
	// IsConfigured reports whether this server has the credentials to connect accounts.
	IsConfigured() bool

	// AuthorizeURL returns the address of the consent page.
	AuthorizeURL(AuthRequest) string
	// ExchangeCode exchanges the authorization code for the profiles that the person may publish to, each with its
	// token.
	ExchangeCode(ctx context.Context, g AuthResponse) ([]Profile, error)
	// VerifyToken checks with the network that the token still works.
	VerifyToken(ctx context.Context, t Token) error

	// DeliveryFor returns how a post with the draft's content gets to the network. The result depends only on the kind of
	// post, its files and the login with which its account was connected. DeliveryFor makes no call.
	DeliveryFor(d Draft) Delivery
	// CreateHandle creates the network's own object for the post and returns the handle. It may create only parts of the
	// object, from which AdvanceStatus then makes the object. Nobody can see the object or its parts. CreateHandle is not
	// called in FlowOneCall.
	CreateHandle(ctx context.Context, it Item) (handle string, err error)
	// AdvanceStatus returns the status of the handle. Before the arm, it may also do the next invisible step, such as
	// sending a part of a file. After the arm, it may repeat such steps if the network has lost their effect. In
	// FlowOneCall, the handle is "", and Ready means that Belfry can publish to the account now.
	AdvanceStatus(ctx context.Context, it Item, handle string) (Status, error)
	// Publish makes the irreversible call, and no other call before it. It returns Done with the id of the post, and with
	// its address if the response has it. If the network has accepted the call, but the post is not live yet, it returns
	// Pending, with the id if it is known. AdvanceStatus then reports when the post is live.
	Publish(ctx context.Context, it Item, handle string) (Status, error)
	// FindPost searches the account's posts since it.ArmedAt, with it.Handle if there is one. It returns Done only for a
	// unique match.
	FindPost(ctx context.Context, it Item) (Status, error)
	// FetchLink returns the address of the post's page on the network.
	FetchLink(ctx context.Context, it Item, externalID string) (postURL string, err error)
}

// Refresher is a network whose tokens can be renewed without a person.
type Refresher interface {
	// RefreshToken returns the complete renewed token. Values that the response omits stay the same. The caller
	// prevents concurrent renewals of an account's token.
	RefreshToken(ctx context.Context, t Token) (Token, error)
}

// Informer is a network that reports what a particular account can do, in addition to Describe.
type Informer interface {
	// ReadAccountFacts asks the network for the facts of the account with the given id. It changes nothing there. An
	// error says nothing about the account.
	ReadAccountFacts(ctx context.Context, profileID string, t Token) (core.Facts, error)
}

// ProfileReader is a network that returns an account's names and picture for the account's token.
type ProfileReader interface {
	// ReadProfile reads the current profile with the given id on the network. The result has no token. An error says
	// nothing about the account.
	ReadProfile(ctx context.Context, profileID string, t Token) (Profile, error)
}

// Finisher is a network with steps that follow once a post is live, such as setting a thumbnail. No step publishes or
// removes the post.
type Finisher interface {
	// ListFinalSteps returns the names of the steps for a post with the draft's content; nil if there are none. Jobs store
	// the names, and another version of Belfry may run the jobs, so the names must not change.
	ListFinalSteps(d Draft) []string
	// FinalStepInWords returns a verb phrase for a step, such as "set the thumbnail". In a note, "<network> did not"
	// precedes it.
	FinalStepInWords(step string) string
	// RunFinalStep does one of the steps. It may be called again after any result, so a step that is not safe to repeat
	// first checks whether it has already been done. A Rejected error is final, and its message is added to the post's
	// timeline. A step that only a later version knows is a Transient error.
	RunFinalStep(ctx context.Context, it Item, externalID, step string) error
}

// Description holds the fixed properties of a network.
type Description struct {
	ID    core.Platform
	Name  string // as people write it
	Needs string // one sentence: what a person needs in order to connect
	// Profile is the network's word for an account: profile, Page, channel.
	Profile string
	Limits  core.Limits
	Fields  []Field

	// The following fields are for networks with a connector.

	// Quotas are the budgets that people see: daily limits on what they publish.
	Quotas []Budget
	// ProfileURL is the address of a profile's page, with the placeholder {id} or {username}; "" if there is none.
	ProfileURL string
	PKCE       bool
	// NoLink is a sentence that says which posts have no link; "" if all have one.
	NoLink string
	// Ownership is the rest of a sentence that begins with the network's name. It says what an operator must do before
	// the network downloads files from this server; "" if nothing. {prefix} stands for the start of the files' addresses.
	Ownership string
	// Settle is how long the effect of an irreversible call without a response may take to appear.
	Settle time.Duration
	// FirstPoll is the time between the first and second status query for a new handle.
	FirstPoll time.Duration
	// ErrorsMayPublish is true if the network has returned errors for calls that did publish. After an error, a post that
	// is not found counts as refused only if it is not found after Settle either.
	ErrorsMayPublish bool
}

// Field is a setting of a post, as forms and the API's description show it.
type Field struct {
	Name    string // JSON name
	Label   string
	Kind    FieldKind
	Choices []Choice
	Help    string
	APIHelp string // what the API's reference adds to Help
	Default string // the value if it is left out; "" if the network decides, or there is none
	Max     int    // the maximum length, number of entries or value; 0 for none
	// Pattern is what a text, or each entry of a list, must match; nil for none. A choice with a pattern also accepts
	// values that match it but are not among its Choices.
	Pattern *regexp.Regexp
	Example string // a string that matches
	Ignored bool   // accepted but not used (Spec §9)
	// Ask is true if the network requires a person to choose: forms then have no default.
	Ask   bool
	Files bool // applies only to posts with files
	// VideoTime is true for a number of milliseconds from the start of a video. People enter and see seconds.
	VideoTime bool
	// FileIndex is true for the index of one of the post's files, which is 0 for the first. People enter and see 1 for the
	// first.
	FileIndex bool
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

// Draft is the content of a post before it is created, as CheckDraft reads it.
type Draft struct {
	Text     string
	Title    string
	Tags     []string
	Media    []core.Media
	Settings json.RawMessage // in normal form
	// Account is the account of the post. A check may refuse what the account cannot do.
	Account core.Account
	// Facts are what the network has reported about the account, if still valid for the post.
	Facts core.Facts
}

// Delivery is how a kind of post gets to its network.
type Delivery struct {
	Flow core.Flow
	// Ahead is how long before its time CreateHandle and AdvanceStatus may invisibly prepare a post. core.LongestAhead
	// limits it. 0 means that all calls are made at its time.
	Ahead time.Duration
	// Files says who transfers the bytes of files; "" for a post without files.
	Files Transfer
	// Gated is true if the network fetches the files after CreateHandle and then publishes the post. The addresses of the
	// files return the files only after the arm is saved. For such a post, Publish makes no call.
	Gated bool
	// Budgets are the published limits on such a post's calls, at most one for each call.
	Budgets []Budget
}

const (
	// PreparedAhead is how early posts with files are prepared: this long before they are due.
	PreparedAhead = 10 * time.Minute
	// UploadRate is the assumed upload rate, in bytes a second, when a post is prepared ahead.
	UploadRate = 2_000_000
)

// AheadForUpload returns how long before it is due a post is prepared whose files are uploaded, at a rate in bytes a
// second.
func AheadForUpload(files []core.Media, rate int64) time.Duration {
	ahead := PreparedAhead
	for _, m := range files {
		ahead += time.Duration(m.Bytes/rate) * time.Second
	}
	return ahead
}

// Transfer says who transfers the bytes of a post's files to its network.
type Transfer string

// Kinds of transfer.
const (
	Pulled Transfer = "pulled" // the network fetches File.URL
	Pushed Transfer = "pushed" // the connector sends File.PartBody
	Either Transfer = "either" // the network fetches them if it can; otherwise, the connector sends them
)

// Item is a post that is being published.
type Item struct {
	Post     core.PostID
	Text     string
	Title    string
	Tags     []string
	Files    []File
	Settings json.RawMessage
	// Profile is the account's id on the network, and Username its username there.
	Profile  string
	Username string
	Token    Token
	// Handle is the handle of the irreversible call, for FindPost; "" if there is none, or if it is lost.
	Handle string
	// HandleAt is when the handle was created, or last changed; zero if there is none.
	HandleAt time.Time
	// ArmedAt is when the post was first armed; zero before that. RearmedAt is when it was last armed again, if ever.
	ArmedAt, RearmedAt time.Time
	// ExternalID is the network's id of the post, if Publish or AdvanceStatus returned it with Pending.
	ExternalID string
	// Known are the network's ids of the account's other posts since the arm, also those of other workspaces and those
	// that are not live yet. A search skips them, so another post with the same text is not mistaken for this one.
	Known []string
}

// LastArmedAt returns when the latest irreversible call was made; zero if none was.
func (it Item) LastArmedAt() time.Time {
	if it.RearmedAt.After(it.ArmedAt) {
		return it.RearmedAt
	}
	return it.ArmedAt
}

// DraftWithoutAccount returns the item's content as a draft, without the account and its facts.
func (it Item) DraftWithoutAccount() Draft {
	d := Draft{Text: it.Text, Title: it.Title, Tags: it.Tags, Settings: it.Settings}
	for _, f := range it.Files {
		d.Media = append(d.Media, f.Media)
	}
	return d
}

// File is a file of a post that is being published. The network fetches its bytes from URL, or the connector sends
// them.
type File struct {
	core.Media
	// Description describes the file to people who cannot see it; "" if nobody has described it.
	Description string
	// URL is the address from which the network fetches the bytes. It needs no credential and works for at least a
	// day. It is "" if this server has no public address, so the bytes must be pushed.
	URL string
	// Open opens the bytes; see PartBody. The context must not end before they are closed.
	Open func(context.Context) (io.ReadSeekCloser, error)
}

// AltText returns the description, cut to maxCharacters.
func (f File) AltText(maxCharacters int) string {
	if letters := []rune(f.Description); len(letters) > maxCharacters {
		return string(letters[:maxCharacters])
	}
	return f.Description
}

// PartBody returns a request body of size bytes of the file, starting at offset.
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

// filePart reads a part of a file and closes the file.
type filePart struct {
	io.Reader
	io.Closer
}

// Status is what the network reports about a handle, a search or the irreversible call. Verdict is one of Done,
// Ready, Pending, Progress, Dead, Broken, Doomed, Absent and Ambiguous. Done has the ExternalID and URL of the post
// if the network returns them. Pending may have the ExternalID, which then applies unless Done has another.
type Status struct {
	Verdict    core.Verdict
	ExternalID string
	URL        string
	// Handle replaces the handle that was queried, for example with the next offset of an upload; "" keeps it. It is
	// set only before the arm.
	Handle  string
	Message string // the network's message, if it has one
	Hint    string // what a person can do about Doomed, if known
	Code    string
	// Lost is the account's new status if the post is Doomed because access to the account was withdrawn.
	Lost core.AccountStatus
}

// AuthRequest is the request to open a consent page.
type AuthRequest struct {
	State       string
	RedirectURI string
	Challenge   string // PKCE S256, if the network supports it
}

// AuthResponse is what a consent page returns.
type AuthResponse struct {
	Code        string
	RedirectURI string
	Verifier    string // PKCE
}

// Profile is an account, Page or channel that a person may publish to.
type Profile struct {
	ExternalID  string
	Username    string
	DisplayName string
	AvatarURL   string
	Login       string // the login with which it was connected, in the connector's words, if the network has several
	Token       Token
	// Unusable is a sentence that says why it cannot be connected; empty if it can.
	Unusable string
}

// Token is an account's credential on its network. It is always stored sealed.
type Token struct {
	Access   Secret    `json:"access"`
	Refresh  Secret    `json:"refresh,omitempty"`
	IssuedAt time.Time `json:"issuedAt,omitzero"`
	// LapsesAt is when Access stops working and RefreshToken must get another; zero if Access works until ExpiresAt.
	LapsesAt time.Time `json:"lapsesAt,omitzero"`
	// ExpiresAt is when a person must reconnect the account; zero if there is no such date.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// RefreshAt is when the token should be renewed before it expires; zero if it cannot or need not be. A lapsed
	// token is renewed before use, whatever its RefreshAt. Each network sets it with RefreshTime.
	RefreshAt time.Time `json:"refreshAt,omitzero"`
	Scopes    []string  `json:"scopes,omitempty"`
	// Grant is the id of the person's grant to this app, see FormatGrantID. Revoking the grant revokes all its
	// tokens. It is "" if it is unknown.
	Grant string `json:"grant,omitempty"`
	// Extra holds other values of the login that later calls need, such as another token.
	Extra map[string]Secret `json:"extra,omitempty"`
}

// RefreshTime returns when to refresh a token: after half of its life, but not before it is minAge old. It is zero if
// the token does not expire, or expires before then.
func (t Token) RefreshTime(minAge time.Duration) (refreshAtOrZero time.Time) {
	if t.ExpiresAt.IsZero() {
		return time.Time{}
	}
	at := t.IssuedAt.Add(max(t.ExpiresAt.Sub(t.IssuedAt)/2, minAge))
	if !at.Before(t.ExpiresAt) {
		return time.Time{}
	}
	return at
}

// An access token counts as lapsed from renewAhead before it lapses.
const renewAhead = time.Minute

// HasLapsed reports whether the access token has lapsed, or will within a minute.
func (t Token) HasLapsed(now time.Time) bool {
	return !t.LapsesAt.IsZero() && !now.Add(renewAhead).Before(t.LapsesAt)
}

// Driver is a network's entry in network/all. New creates its connector; a network without a connector sets Rules
// instead.
type Driver struct {
	ID        core.Platform
	Variables []Variable
	New       func(Environment) (Network, error)
	Rules     Rules
	// Errors lists the error codes that the network documents; nil for a network without a connector.
	Errors func() []DocumentedError
}

// Variable is a configuration variable of a network, without the prefix BELFRY_.
type Variable struct {
	Name    string
	Default string
	Help    string
	Secret  bool
}

// Environment holds what a connector needs.
type Environment struct {
	Client *Client
	// Get returns the value of one of the network's own variables, named without the prefix BELFRY_.
	Get func(name string) string
	Now func() time.Time
}
