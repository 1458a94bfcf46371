package app_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"belfry/internal/app"
	"belfry/internal/app/apptest"
	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
	"belfry/internal/sandbox"
	"belfry/internal/store"
)

// person is whom all simulated Pages belong to.
const person = "10160384756102938"

func macOf(text string) []byte {
	mac := hmac.New(sha256.New, []byte(sandbox.Credentials))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// signedRequest is what Meta sends about a person.
func signedRequest(event, user string, at time.Time) network.Callback {
	encode := base64.RawURLEncoding.EncodeToString
	payload := encode(fmt.Appendf(nil, `{"algorithm":"HMAC-SHA256","user_id":%q,"issued_at":%d}`, user, at.Unix()))
	form := url.Values{"signed_request": {encode(macOf(payload)) + "." + payload}}
	return network.Callback{Event: event, Body: []byte(form.Encode())}
}

// webhookEvent is what TikTok sends about an account.
func webhookEvent(event, user string, at time.Time) network.Callback {
	body := fmt.Sprintf(`{"client_key":%q,"event":%q,"create_time":%d,"user_openid":%q,"content":"{}"}`,
		sandbox.Credentials, event, at.Unix(), user)
	stamp := strconv.FormatInt(at.Unix(), 10)
	header := http.Header{}
	header.Set("TikTok-Signature", "t="+stamp+",s="+hex.EncodeToString(macOf(stamp+"."+body)))
	return network.Callback{Event: "webhook", Header: header, Body: []byte(body)}
}

func TestRemovingTheAppRevokesAllAccountsOfThePerson(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	one, two := h.Workspace("one"), h.Workspace("two")
	bakery, shop := one.Account("facebook", "Harbour Bakery"), two.Account("facebook", "Corner Shop")
	video, profile := one.Account("tiktok"), one.Account("threads")
	n := len(auditLines(t, h))
	send := func(platform string, c network.Callback) {
		t.Helper()
		if answer, err := h.App.VerifyCallbackAndUpdateAccounts(t.Context(), platform, c); err != nil || answer != (app.CallbackAnswer{}) {
			t.Errorf("%s: %+v, %v", platform, answer, err)
		}
	}
	send("facebook", signedRequest("deauthorize", "somebody-else", h.Clock.Now()))
	for _, a := range []contract.Account{bakery, shop, video, profile} {
		if stored[string](t, h, a, "status") != "ok" {
			t.Errorf("%s was revoked by another person", a.Platform)
		}
	}
	for range 2 {
		send("facebook", signedRequest("deauthorize", person, h.Clock.Now()))
		send("tiktok", webhookEvent("authorization.removed", stored[string](t, h, video, "external_id"), h.Clock.Now()))
	}
	for _, a := range []contract.Account{bakery, shop, video} {
		status, reason := stored[string](t, h, a, "status"), stored[string](t, h, a, "status_reason")
		if status != "revoked" || !strings.Contains(reason, "was removed on") || !strings.Contains(reason, "Reconnect") {
			t.Errorf("%s: %s, %q", a.Platform, status, reason)
		}
	}
	if stored[string](t, h, profile, "status") != "ok" {
		t.Error("an account of another network was revoked")
	}
	lines := auditLines(t, h)[n:]
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "access_removed worker") {
		t.Errorf("the audit log has %q", lines)
	}
}

// A call may arrive late, or be replayed by somebody who has seen it.
func TestAnOldNoticeDoesNotTouchANewConsent(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("facebook", "Harbour Bakery")
	old := h.Clock.Now()
	h.Clock.Advance(time.Minute)
	ws.Account("facebook", "Harbour Bakery")
	for _, event := range []string{"deauthorize", "data-deletion"} {
		if _, err := h.App.VerifyCallbackAndUpdateAccounts(t.Context(), "facebook", signedRequest(event, person, old)); err != nil {
			t.Error(err)
		}
	}
	h.WorkErasures()
	if stored[string](t, h, a, "status") != "ok" || stored[string](t, h, a, "external_id") == "" {
		t.Error("the new consent ended with the old one")
	}
}

func TestStrangersLearnNothingFromCallbacks(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("facebook", "Harbour Bakery")
	good := signedRequest("deauthorize", person, h.Clock.Now())
	forged := good
	forged.Body = append([]byte("x"), forged.Body...)
	for name, c := range map[string]struct {
		platform string
		call     network.Callback
	}{
		"not signed":             {"facebook", forged},
		"no such network":        {"attic", good},
		"no such event":          {"facebook", network.Callback{Event: "webhook", Body: good.Body}},
		"a network that is mute": {"youtube", good},
		"another's signature":    {"tiktok", good},
	} {
		_, err := h.App.VerifyCallbackAndUpdateAccounts(t.Context(), c.platform, c.call)
		if want(t, core.CodeNotFound, err); stored[string](t, h, a, "status") != "ok" {
			t.Errorf("%s: the account is revoked", name)
		}
	}
	h.Config.NetworksURL = "elsewhere" // such as the real networks after the simulated ones
	if _, err := h.Replica().VerifyCallbackAndUpdateAccounts(t.Context(), "facebook", good); err != nil ||
		stored[string](t, h, a, "status") != "ok" {
		t.Errorf("an account of other networks was revoked: %v", err)
	}
}

// The body of a webhook is no evidence: it only makes a worker ask.
func TestAnEventAboutAPostOnlyMakesTheWorkerAsk(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a, other := ws.Account("tiktok"), ws.Account("threads")
	at := h.Clock.Now().Add(time.Hour)
	polled, settling, foreign := ws.Queued("polled", other, at), ws.Queued("settling", other, at), ws.Queued("foreign", other, at)
	_, err := h.Pool.Exec(t.Context(), `UPDATE posts SET account_id = $1 WHERE text <> 'foreign'`, ws.AccountID(a))
	must(t, err)
	const later = `step = 'armed', armed = true, due_at = clock(), next_action_at = clock() + '1 minute'::interval, rest = `
	ledger(t, h, polled, later+`'poll'`)
	ledger(t, h, settling, later+`'settle'`)
	ledger(t, h, foreign, later+`'poll'`)
	user := stored[string](t, h, a, "external_id")
	_, err = h.App.VerifyCallbackAndUpdateAccounts(t.Context(), "tiktok", webhookEvent("post.publish.complete", user, h.Clock.Now()))
	must(t, err)
	due := func(p contract.Post) (due bool) {
		id, err := core.ParseID[core.PostKind](p.ID)
		must(t, err)
		must(t, h.Pool.QueryRow(t.Context(), `SELECT next_action_at <= clock() FROM publications WHERE post_id = $1`, id).Scan(&due))
		return due
	}
	if !due(polled) || due(settling) || due(foreign) {
		t.Errorf("asked about now: %t, %t, %t", due(polled), due(settling), due(foreign))
	}
	if p := ws.Post(polled); p.Status != "queued" {
		t.Errorf("the post is %s", p.Status)
	}
}

func TestDataIsErasedOnRequest(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	one, two := h.Workspace("one"), h.Workspace("two")
	here, there := one.Account("facebook", "Harbour Bakery"), two.Account("facebook", "Corner Shop")
	left := one.Account("facebook", "Old Shop") // disconnected before
	must(t, h.App.DisconnectAccount(t.Context(), one.Owner, left.ID))
	kept := one.Account("threads")
	post := one.Queued("queued", here, h.Clock.Now().Add(time.Hour))
	ask := signedRequest("data-deletion", person, h.Clock.Now())
	answer, err := h.App.VerifyCallbackAndUpdateAccounts(t.Context(), "facebook", ask)
	must(t, err)
	if answer.StatusURL != apptest.PublicURL+"/erasures/"+answer.Code || len(answer.Code) < 20 {
		t.Errorf("the answer is %+v", answer)
	}
	if again, err := h.App.VerifyCallbackAndUpdateAccounts(t.Context(), "facebook", ask); err != nil || again != answer || h.Jobs("erase") != 1 {
		t.Errorf("asked again: %+v, %v, %d jobs", again, err, h.Jobs("erase"))
	}
	if s, err := h.App.GetErasureStatus(t.Context(), answer.Code); err != nil || !s.DoneAt.IsZero() {
		t.Errorf("before: %+v, %v", s, err)
	}

	ledger(t, h, post, `lease_until = clock() + '1 minute'::interval, lease_owner = 'w', due_at = clock()`)
	if again := h.WorkErasures(); again != time.Minute || stored[[]byte](t, h, here, "token") == nil {
		t.Errorf("while a post is being published: again in %s", again)
	}
	if name := stored[string](t, h, there, "display_name"); name != "Deleted account" {
		t.Errorf("the other account waits, too: %s", name)
	}
	ledger(t, h, post, `lease_until = NULL, lease_owner = NULL, due_at = clock() + '1 hour'::interval`)
	if again := h.WorkErasures(); again != 0 {
		t.Errorf("again in %s", again)
	}
	for _, a := range []contract.Account{here, there, left} {
		for column, want := range map[string]string{
			"external_id": "erased/", "username": "", "display_name": "Deleted account", "avatar_url": "", "status": "revoked",
		} {
			if got := stored[string](t, h, a, column); !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%s: %s is %q", a.DisplayName, column, got)
			}
		}
		if len(stored[[]byte](t, h, a, "token")) != 0 || stored[[]byte](t, h, a, "grant_hash") != nil {
			t.Errorf("%s: the token or the grant is left", a.DisplayName)
		}
	}
	if stored[string](t, h, kept, "status") != "ok" {
		t.Error("an account of another network was erased")
	}
	if p := one.Post(post); p.Status != "draft" || p.Text != "queued" {
		t.Errorf("the workspace's own post is %+v", p)
	}
	s, err := h.App.GetErasureStatus(t.Context(), answer.Code)
	if err != nil || !s.DoneAt.Equal(h.Clock.Now()) {
		t.Errorf("after: %+v, %v", s, err)
	}
	var grants int
	must(t, h.Pool.QueryRow(t.Context(), `SELECT count(*) FROM erasures WHERE length(grant_hash) > 0`).Scan(&grants))
	if grants != 0 {
		t.Error("it is still known whose data it was")
	}
	_, err = h.App.GetErasureStatus(t.Context(), "nobody")
	want(t, core.CodeNotFound, err)
	again := one.Account("facebook", "Harbour Bakery")
	if again.ID == here.ID || again.DisplayName != "Harbour Bakery" {
		t.Errorf("connected again it is %+v", again)
	}
}

// The account was connected again after the erasure had found it, and before its turn.
func TestAnAccountThatIsConnectedAgainMeanwhileIsNotErased(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	ws := h.Workspace("one")
	a := ws.Account("facebook", "Harbour Bakery")
	answer, err := h.App.VerifyCallbackAndUpdateAccounts(t.Context(), "facebook", signedRequest("data-deletion", person, h.Clock.Now()))
	must(t, err)
	h.Clock.Advance(time.Minute)
	erased := make(chan error, 1)
	must(t, h.Store.In(ws.ID).Tx(t.Context(), func(tx store.Tenant) error {
		account, token, err := tx.AccountWithTokenIncludingDisconnected(t.Context(), ws.AccountID(a))
		must(t, err)
		grant := stored[[]byte](t, h, a, "grant_hash")
		_, err = tx.LockGrantsAndCheckRevoked(t.Context(), [][]byte{grant}, h.Clock.Now())
		must(t, err)
		go func() {
			_, err := h.App.EraseGrantData(t.Context(), answer.Code)
			erased <- err
		}()
		h.Eventually("the erasure waits", func() bool { return waiting(t, h) })
		return tx.SaveConnectedAccount(t.Context(), account, store.SealedToken{Sealed: token, Grant: grant})
	}))
	must(t, <-erased)
	if stored[string](t, h, a, "status") != "ok" || stored[string](t, h, a, "display_name") != "Harbour Bakery" {
		t.Error("the account was erased after it had been connected again")
	}
}

func TestTheCodeOfAnErasureCannotBeComputedWithoutTheKey(t *testing.T) {
	t.Parallel()
	ask := func() string {
		h := apptest.New(t)
		h.Workspace("one").Account("facebook", "Harbour Bakery")
		c := signedRequest("data-deletion", person, apptest.Start())
		answer, err := h.App.VerifyCallbackAndUpdateAccounts(t.Context(), "facebook", c)
		must(t, err)
		return answer.Code
	}
	if one, two := ask(), ask(); one == two {
		t.Error("two servers with different keys give the same code")
	}
}

func TestErasingTheDataOfAStrangerIsDoneAtOnce(t *testing.T) {
	t.Parallel()
	h := apptest.New(t)
	answer, err := h.App.VerifyCallbackAndUpdateAccounts(t.Context(), "threads", signedRequest("data-deletion", "42", h.Clock.Now()))
	must(t, err)
	h.WorkErasures()
	h.Clock.Advance(365 * 24 * time.Hour)
	must(t, h.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(t.Context()))
	if s, err := h.App.GetErasureStatus(t.Context(), answer.Code); err != nil || s.DoneAt.IsZero() {
		t.Errorf("%+v, %v", s, err)
	}
	h.Clock.Advance(time.Second)
	must(t, h.App.DeleteExpiredRowsAndUpdateSecretKeyMetric(t.Context()))
	_, err = h.App.GetErasureStatus(t.Context(), answer.Code)
	want(t, core.CodeNotFound, err)
}
