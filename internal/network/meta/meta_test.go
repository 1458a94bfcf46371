package meta_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/network/meta"
)

var now = time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)

func api(t *testing.T, answer http.HandlerFunc) meta.API {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := network.NewClient(network.ClientConfig{NetworksURL: base})
	t.Cleanup(c.CloseIdleConnections)
	return meta.API{Client: c, Base: "https://graph.example", Now: func() time.Time { return now }}
}

func failure(t *testing.T, table meta.ErrorTable, status int, header map[string]string, body string) *network.Error {
	t.Helper()
	a := api(t, func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
	a.Table = table
	var out struct{}
	err := a.Get(t.Context(), "/x", "", nil, &out)
	var e *network.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: want an error, got %v", body, err)
	}
	return e
}

// The grace for a carousel that the network does not find yet began when its items were created. If they took long to
// process, the new carousel counted as dead at once.
func TestANewCarouselHasAGraceOfItsOwn(t *testing.T) {
	t.Parallel()
	c := meta.Containers{
		Now: func() time.Time { return now },
		CreateCarousel: func(context.Context, network.Item, string) (string, error) {
			return "carousel", nil
		},
	}
	c.Ask = func(ctx context.Context, it network.Item, handle string) (network.Status, error) {
		if handle == "carousel" {
			return c.FindPostElsePendingOrDead(ctx, it, errors.New("does not exist"))
		}
		return network.Status{Verdict: core.Ready}, nil
	}
	it := network.Item{HandleAt: now.Add(-10 * time.Minute)}
	st, err := c.AskStatusOrCreateCarousel(t.Context(), it, meta.NewCarouselItemsHandle([]string{"a", "b"}))
	if err != nil || st.Verdict != core.Pending || st.Handle != "carousel" {
		t.Errorf("got %+v, %v", st, err)
	}
}

func TestTheClosestRowDecides(t *testing.T) {
	t.Parallel()
	table := meta.ErrorTable{
		{Code: 4, Subcode: 7}: {Kind: network.Rejected, Hint: "exact"},
		{Code: 4}:             {Kind: network.Transient, Hint: "code"},
		{Subcode: 9}:          {Kind: network.Revoked, Hint: "subcode"},
	}
	for body, want := range map[string]string{
		`{"error":{"code":4,"error_subcode":7,"message":"m"}}`:  "exact",
		`{"error":{"code":4,"error_subcode":8,"message":"m"}}`:  "code",
		`{"error":{"code":4,"message":"m"}}`:                    "code",
		`{"error":{"code":4,"error_subcode":9,"message":"m"}}`:  "subcode",
		`{"error":{"code":9,"message":"m"}}`:                    "subcode",
		`{"error":{"code":-1,"error_subcode":9,"message":"m"}}`: "subcode",
		`{"error":{"code":5,"error_subcode":5,"message":"m"}}`:  "Check the post, and the account on the network, before you send the post again.",
	} {
		if e := failure(t, table, 400, nil, body); e.Hint != want {
			t.Errorf("%s: want %q, got %+v", body, want, e)
		}
	}
}

// An author was told to change the post when the server's app secret was wrong.
func TestAWrongProofIsForTheOperator(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"Invalid appsecret_proof provided in the API argument", "API calls from the server require an appsecret_proof argument",
	} {
		body := fmt.Sprintf(`{"error":{"code":100,"type":"GraphMethodException","message":%q}}`, message)
		if e := failure(t, nil, 400, nil, body); e.Kind != network.Rejected || !strings.Contains(e.Hint, "operator") {
			t.Errorf("got %+v", e)
		}
	}
}

func TestAnUndocumentedErrorIsJudgedByItsForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		want   network.ErrorKind
	}{
		{400, `{"error":{"code":12345,"message":"m"}}`, network.Rejected},
		{400, `{"error":{"code":12345,"is_transient":true,"message":"m"}}`, network.Transient},
		{500, `{"error":{"code":12345,"message":"m"}}`, network.Transient},
		{429, `{"error":{"code":12345,"message":"m"}}`, network.RateLimited},
		{429, `{"error":{"code":2,"message":"m"}}`, network.RateLimited},
		{200, `{"error":{"code":100,"message":"m"}}`, network.Rejected},
		{403, `{"error":{"code":250,"message":"m"}}`, network.Revoked},
		{400, `{"error_type":"OAuthException","code":400,"error_message":"used"}`, network.Rejected},
		{400, `{"message":"m"}`, network.Unknown},
		{500, `null`, network.Unknown},
		{400, `{"error":{"code":"100","message":"m"}}`, network.Unknown},
	} {
		if e := failure(t, nil, c.status, nil, c.body); e.Kind != c.want || e.Status != c.status {
			t.Errorf("%d %s: want %s, got %+v", c.status, c.body, c.want, e)
		}
	}
}

func TestThePersonsWordsGoFirst(t *testing.T) {
	t.Parallel()
	e := failure(t, nil, 400, map[string]string{"X-Fb-Trace-Id": "T9"},
		`{"error":{"code":100,"error_subcode":2,"message":"(#100) dry","error_user_title":"Title","error_user_msg":"Plain words."}}`)
	if e.Message != "Plain words." || e.Trace != "T9" || e.Code != "100/2" {
		t.Errorf("got %+v", e)
	}
}

func TestTheLongestWaitCounts(t *testing.T) {
	t.Parallel()
	const body = `{"error":{"code":80002,"message":"m"}}`
	table := meta.ErrorTable{
		{Code: 80002}: {Kind: network.RateLimited, Hint: "h"},
		{Code: 80003}: {Kind: network.RateLimited, Wait: time.Hour},
	}
	usage := `{"17":[{"type":"pages","call_count":100,"estimated_time_to_regain_access":7},{"type":"x","estimated_time_to_regain_access":0}]}`
	for _, c := range []struct {
		header map[string]string
		body   string
		want   time.Duration
	}{
		{nil, body, 5 * time.Minute},
		{map[string]string{"Retry-After": "30"}, body, 30 * time.Second},
		{map[string]string{"X-Business-Use-Case-Usage": usage}, body, 7 * time.Minute},
		{map[string]string{"X-Business-Use-Case-Usage": usage, "Retry-After": "600"}, body, 10 * time.Minute},
		{map[string]string{"X-Business-Use-Case-Usage": "{broken"}, body, 5 * time.Minute},
		{map[string]string{"Retry-After": "99999999"}, body, 24 * time.Hour},
		{map[string]string{"X-Business-Use-Case-Usage": strings.Replace(usage, ":7}", ":1e18}", 1)}, body, 24 * time.Hour},
		{nil, strings.Replace(body, "80002", "80003", 1), time.Hour},
	} {
		if e := failure(t, table, 400, c.header, c.body); e.RetryAfter != c.want {
			t.Errorf("%v: want %v, got %v", c.header, c.want, e.RetryAfter)
		}
	}
}

func TestAListIsFollowedByItsCursorOnly(t *testing.T) {
	t.Parallel()
	var asked []string
	a := api(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI()+" "+r.Header.Get("Authorization"))
		switch r.URL.Query().Get("after") {
		case "":
			_, _ = io.WriteString(w, `{"data":[1,2],"paging":{"cursors":{"after":"A"},"next":"https://evil.example/x?access_token=secret&after=A"}}`)
		case "A":
			_, _ = io.WriteString(w, `{"data":[3],"paging":{"next":"https://evil.example/x?after=B"}}`)
		default:
			_, _ = io.WriteString(w, `{"data":[],"paging":{"cursors":{"after":"C"}}}`)
		}
	})
	got, err := meta.ListAll[int](t.Context(), a, "/me/list", "the-page-token", url.Values{"limit": {"2"}})
	if err != nil || len(got) != 3 {
		t.Fatalf("got %v, %v", got, err)
	}
	want := []string{
		"/graph.example/me/list?limit=2", "/graph.example/me/list?after=A&limit=2",
		"/graph.example/me/list?after=B&limit=2",
	}
	for i, uri := range want {
		if asked[i] != uri+" Bearer the-page-token" {
			t.Errorf("call %d: want %s, got %s", i, uri, asked[i])
		}
	}
}

// That something is not in a list is evidence only when all of the list was read.
func TestAListThatCannotBeReadWholeIsAnError(t *testing.T) {
	t.Parallel()
	for name, paging := range map[string]string{
		"an endless one":               `{"cursors":{"after":"A"},"next":"https://graph.example/again"}`,
		"a next page without a cursor": `{"next":"https://graph.example/again"}`,
	} {
		a := api(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"data":[1],"paging":`+paging+`}`)
		})
		_, err := meta.ListAll[int](t.Context(), a, "/list", "", nil)
		var e *network.Error
		if !errors.As(err, &e) || e.Kind != network.Unknown {
			t.Errorf("%s: want unknown, got %v", name, err)
		}
	}
}

func TestTheProofGoesWithTheToken(t *testing.T) {
	t.Parallel()
	var proof []string
	a := api(t, func(w http.ResponseWriter, r *http.Request) {
		proof = append(proof, r.FormValue("appsecret_proof"))
		_, _ = io.WriteString(w, `{}`)
	})
	a.Proof = "app-secret"
	var out struct{}
	for _, err := range []error{
		a.Get(t.Context(), "/x", "token", nil, &out), a.Post(t.Context(), "/x", "token", url.Values{"a": {"b"}}, &out),
		a.Get(t.Context(), "/x", "", nil, &out),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	// echo -n token | openssl dgst -sha256 -hmac app-secret
	const want = "4b062935fec529e51d39e89ee371a452c231b1e0c5549ac72d83fc4f3a0b0471"
	if proof[0] != want || proof[1] != want || proof[2] != "" {
		t.Errorf("got %q", proof)
	}
}

func TestIDsComeAsNumbersAndTexts(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		`"17841405793187218"`: "17841405793187218", `17841405793187218`: "17841405793187218", `null`: "", `""`: "",
		`"1_2"`:              "1_2",
		`"../../me/evil?x="`: "error", `"1/2"`: "error", `"1?fields=x"`: "error", `".."`: "error", `"1#2"`: "error",
		`"1,2"`: "error",
		`[1]`:   "error", `{"a":1}`: "error", `true`: "error",
	} {
		var id meta.ID
		err := json.Unmarshal([]byte(give), &id)
		if (err != nil) != (want == "error") || (err == nil && string(id) != want) {
			t.Errorf("%s: want %s, got %q, %v", give, want, id, err)
		}
	}
}

func TestTimesComeInTwoForms(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]time.Time{
		`"2026-10-05T09:00:00+0000"`: now, `"2026-10-05T11:00:00+02:00"`: now, `"yesterday"`: {}, `null`: {},
	} {
		var got meta.Time
		if err := json.Unmarshal([]byte(give), &got); err != nil || !got.Equal(want) {
			t.Errorf("%s: want %v, got %v, %v", give, want, got, err)
		}
	}
}

func TestTheMarkOnACodeIsCut(t *testing.T) {
	t.Parallel()
	for _, give := range []string{"AQabc", "AQabc#_", "AQabc#_=_"} {
		if got := meta.TrimAuthCodeSuffix(give); got != "AQabc" {
			t.Errorf("%s: got %s", give, got)
		}
	}
}

// The network says 190 and no more: the date decides, then the network's own word about the token.
func TestExpiredIsToldFromRevoked(t *testing.T) {
	t.Parallel()
	plain := &network.Error{Kind: network.Revoked, Code: "190"}
	exact := &network.Error{Kind: network.Revoked, Code: "190/458"}
	past := network.Token{Access: "a-token-of-ours", ExpiresAt: now.Add(-time.Second)}
	future := network.Token{Access: "a-token-of-ours", ExpiresAt: now.Add(time.Hour)}
	inspect := func(context.Context) (network.Secret, error) { return "app-token", nil }
	blind := func(context.Context) (network.Secret, error) { return "", errors.New("no app token") }
	for name, c := range map[string]struct {
		err     error
		token   network.Token
		answer  string
		inspect func(context.Context) (network.Secret, error)
		want    network.ErrorKind
	}{
		"the date has passed":       {plain, past, ``, blind, network.Expired},
		"a subcode leaves no doubt": {exact, past, ``, blind, network.Revoked},
		"the network says ended": {
			plain, future, `{"data":{"is_valid":false,"expires_at":1700000000}}`, inspect,
			network.Expired,
		},
		"ends later yet is not valid": {
			plain, future, `{"data":{"is_valid":false,"expires_at":9900000000}}`, inspect,
			network.Revoked,
		},
		"without a date": {
			plain,
			network.Token{Access: "x"},
			`{"data":{"is_valid":false,"expires_at":0}}`,
			inspect, network.Revoked,
		},
		"the network says nothing": {plain, future, `nothing`, inspect, network.Revoked},
		"nobody may ask":           {plain, future, ``, blind, network.Revoked},
	} {
		a := api(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer app-token" ||
				r.URL.Query().Get("input_token") != c.token.Access.Reveal() {
				t.Errorf("%s: asked %s as %s", name, r.URL, r.Header.Get("Authorization"))
			}
			_, _ = io.WriteString(w, c.answer)
		})
		var e *network.Error
		if err := a.DistinguishExpiredFromRevoked(t.Context(), c.err, c.token, c.inspect); !errors.As(err, &e) || e.Kind != c.want {
			t.Errorf("%s: want %s, got %v", name, c.want, err)
		}
	}
	if plain.Kind != network.Revoked {
		t.Error("the error that was judged changed")
	}
	if err := (meta.API{}).DistinguishExpiredFromRevoked(t.Context(), nil, past, blind); err != nil {
		t.Errorf("no error became %v", err)
	}
}

func TestOnlyMatchBindsOneOfOne(t *testing.T) {
	t.Parallel()
	one := network.Status{ExternalID: "1", URL: "https://example.org/1"}
	if got := meta.StatusOfMatches(nil, "a"); got != (network.Status{Verdict: core.Absent}) {
		t.Errorf("none: got %+v", got)
	}
	if got := meta.StatusOfMatches([]network.Status{one}, "a"); got.Verdict != core.Done || got.ExternalID != "1" ||
		got.URL != one.URL {
		t.Errorf("one: got %+v", got)
	}
	if got := meta.StatusOfMatches([]network.Status{one, one}, "a"); got.Verdict != core.Ambiguous || got.ExternalID != "" ||
		got.URL != "" {
		t.Errorf("two: got %+v", got)
	}
	if got := meta.StatusOfMatches([]network.Status{one}, " "); got.Verdict != core.Ambiguous || got.ExternalID != "" ||
		got.URL != "" {
		t.Errorf("one without a fingerprint: got %+v", got)
	}
}

// One refused call must hold back whatever else would be refused for the same reason.
func TestAThrottleSaysWhatItHoldsBack(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]network.Scope{
		`{"error":{"code":4,"message":"m"}}`:     network.ScopeApp,
		`{"error":{"code":341,"message":"m"}}`:   network.ScopeApp,
		`{"error":{"code":17,"message":"m"}}`:    network.ScopeAccount,
		`{"error":{"code":32,"message":"m"}}`:    network.ScopeAccount,
		`{"error":{"code":613,"message":"m"}}`:   network.ScopeAccount,
		`{"error":{"code":100,"message":"m"}}`:   network.ScopePost,
		`{"error":{"code":12345,"message":"m"}}`: network.ScopePost,
	} {
		if e := failure(t, nil, 400, nil, body); e.Scope != want {
			t.Errorf("%s: want %q, got %+v", body, want, e)
		}
	}
}
