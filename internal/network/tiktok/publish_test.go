package tiktok_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/network"
	nt "belfry/internal/network/networktest"
	"belfry/internal/network/sim"
	"belfry/internal/network/tiktok"
)

func TestEverySettingOfAVideoArrives(t *testing.T) {
	t.Parallel()
	off := map[string]string{
		"privacy_level": "PUBLIC_TO_EVERYONE", "disable_comment": "false", "disable_duet": "false", "disable_stitch": "false",
		"brand_content_toggle": "false", "brand_organic_toggle": "false", "is_aigc": "false", "video_cover_timestamp_ms": "",
	}
	for setting, want := range map[string][2]string{
		`{}`: {"privacy_level", "PUBLIC_TO_EVERYONE"},
		`{"privacyLevel":"MUTUAL_FOLLOW_FRIENDS"}`: {"privacy_level", "MUTUAL_FOLLOW_FRIENDS"},
		`{"privacyLevel":"SELF_ONLY"}`:             {"privacy_level", "SELF_ONLY"},
		`{"disableComment":true}`:                  {"disable_comment", "true"},
		`{"disableDuet":true}`:                     {"disable_duet", "true"},
		`{"disableStitch":true}`:                   {"disable_stitch", "true"},
		`{"coverMs":1500}`:                         {"video_cover_timestamp_ms", "1500"},
		`{"coverMs":0}`:                            {"video_cover_timestamp_ms", "0"},
		`{"brandContent":true}`:                    {"brand_content_toggle", "true"},
		`{"brandOrganic":true}`:                    {"brand_organic_toggle", "true"},
		`{"aiGenerated":true}`:                     {"is_aigc", "true"},
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			w := nt.NewWorld(t, harness())
			it := newItem(t, w, 0, setting)
			it.Tags = []string{"bread"}
			if do := w.NewWorker(it).Run(); do != core.DoLive {
				t.Fatalf("ended with %s", do)
			}
			post := w.VisiblePosts()[0]
			if post.Text != "A quiet morning\n\n#bread" && post.Text != network.AppendMissingTags(it.Text, it.Tags) {
				t.Errorf("the caption is %q", post.Text)
			}
			for field, value := range off {
				if field == want[0] {
					value = want[1]
				}
				if post.Extra[field] != value {
					t.Errorf("want %s %q, got %q", field, value, post.Extra[field])
				}
			}
		})
	}
}

func TestEverySettingOfPhotosArrives(t *testing.T) {
	t.Parallel()
	off := map[string]string{
		"privacy_level": "PUBLIC_TO_EVERYONE", "disable_comment": "false", "auto_add_music": "false", "photo_cover_index": "0",
		"brand_content_toggle": "false", "brand_organic_toggle": "false", "is_aigc": "false", "title": "The title",
	}
	for setting, want := range map[string][2]string{
		`{}`:                           {"privacy_level", "PUBLIC_TO_EVERYONE"},
		`{"privacyLevel":"SELF_ONLY"}`: {"privacy_level", "SELF_ONLY"},
		`{"disableComment":true}`:      {"disable_comment", "true"},
		`{"autoAddMusic":true}`:        {"auto_add_music", "true"},
		`{"photoCoverIndex":2}`:        {"photo_cover_index", "2"},
		`{"brandContent":true}`:        {"brand_content_toggle", "true"},
		`{"brandOrganic":true}`:        {"brand_organic_toggle", "true"},
		`{"aiGenerated":true}`:         {"is_aigc", "true"},
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			w := nt.NewWorld(t, harness())
			it := newItem(t, w, 0, setting)
			it.Title, it.Files = "The title", w.NewFiles(nt.RepeatFile(3, nt.Image(nt.Size(320, 320)))...)
			if do := w.NewWorker(it).Run(); do != core.DoLive {
				t.Fatalf("ended with %s", do)
			}
			post := w.VisiblePosts()[0]
			if post.Text != it.Text || len(post.Media) != 3 {
				t.Errorf("the post is %+v", post)
			}
			for field, value := range off {
				if field == want[0] {
					value = want[1]
				}
				if post.Extra[field] != value {
					t.Errorf("want %s %q, got %q", field, value, post.Extra[field])
				}
			}
		})
	}
}

// Photos are refused where their host is not verified, which only the operator can change.
func TestPhotosNeedAVerifiedHost(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	setOption(t, w, "tiktok.verified_host", "off")
	it := newItem(t, w, 0, "")
	it.Files = w.NewFiles(nt.RepeatFile(2, nt.Image(nt.Size(320, 320)))...)
	wantRefusal(t, w, it, "operator")
}

func TestWithoutAChoiceTheWidestAudienceIsTaken(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	setOption(t, w, "tiktok.account", "private")
	w.NewWorker(newItem(t, w, 0, "")).Run()
	if got := w.VisiblePosts()[0].Extra["privacy_level"]; got != "FOLLOWER_OF_CREATOR" {
		t.Errorf("got %s", got)
	}
}

func TestWhatTheAccountDoesNotAllowIsRefusedBeforeTheUpload(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	wantRefusal(t, w, newItem(t, w, 0, `{"privacyLevel":"FOLLOWER_OF_CREATOR"}`), "Everyone, Friends, Only me")
	setOption(t, w, "tiktok.longest_seconds", "20")
	wantRefusal(t, w, newItem(t, w, 0, ""), "20 seconds")
	if n := countCalls(w, "create"); n != 0 {
		t.Errorf("%d uploads were begun", n)
	}
	setOption(t, w, "tiktok.longest_seconds", "600")
	setOption(t, w, "tiktok.audited", "off")
	wantRefusal(t, w, newItem(t, w, 0, ""), "audit")
}

func TestAPaidPartnershipIsNotOfferedAPrivateAudience(t *testing.T) {
	t.Parallel()
	for levels, want := range map[string]string{
		`"SELF_ONLY"`:                         "Turn off “Paid partnership”",
		``:                                    "TikTok did not return the audiences that the account allows.",
		`"MUTUAL_FOLLOW_FRIENDS","SELF_ONLY"`: "these audiences: Friends.",
	} {
		w := nt.NewWorld(t, harness())
		settings := `{"brandContent":true}`
		if strings.Contains(levels, ",") {
			settings = `{"brandContent":true,"privacyLevel":"PUBLIC_TO_EVERYONE"}`
		}
		it := newItem(t, w, 0, settings)
		w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
			const body = `{"data":{"privacy_level_options":[%s]},"error":{"code":"ok","message":"","log_id":"1"}}`
			_, _ = fmt.Fprintf(rw, body, levels)
		})
		wantRefusal(t, w, it, want)
	}
}

func TestDisabledInteractionsAreSwitchedOff(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	setOption(t, w, "tiktok.account", "quiet")
	if do := w.NewWorker(newItem(t, w, 0, "")).Run(); do != core.DoLive {
		t.Fatalf("ended with %s", do)
	}
	for _, name := range []string{"disable_comment", "disable_duet", "disable_stitch"} {
		if w.VisiblePosts()[0].Extra[name] != "true" {
			t.Errorf("%s is off", name)
		}
	}
}

// What TikTok gives up after the last part is told by the reason, as TikTok documents it.
func TestEveryReasonOfAFailureIsTold(t *testing.T) {
	t.Parallel()
	verdicts := map[network.ErrorKind]core.Verdict{
		network.Rejected: core.Doomed, network.Revoked: core.Doomed, network.Transient: core.Broken,
		network.RateLimited: core.Dead, // so that the next upload is throttled
	}
	reasons := 0
	for _, d := range nt.NewWorld(t, harness()).DocumentedErrors() {
		if !slices.Contains(d.Calls, "result") {
			continue
		}
		reasons++
		class := nt.ParseClass(t, d.Class, time.Now())
		t.Run(d.Reason, func(t *testing.T) {
			t.Parallel()
			w := nt.NewWorld(t, harness())
			setOption(t, w, "tiktok.fail_reason", d.Reason)
			setOption(t, w, "tiktok.posts_a_day", "100")
			it := newItem(t, w, 0, "")
			handle := w.NewHandle(it)
			if _, err := w.Net.Publish(t.Context(), it, handle); err != nil {
				t.Fatal(err)
			}
			st, err := w.Net.AdvanceStatus(t.Context(), it, handle)
			if err != nil || st.Verdict != verdicts[class.Kind] || st.Code != d.Reason || !strings.Contains(st.Message, d.Reason) ||
				st.Lost != class.Kind.ResultingAccountStatus() || !strings.Contains(strings.ToLower(st.Hint), strings.ToLower(d.Advice)) {
				t.Errorf("got %+v, %v, want %s", st, err, d.Class)
			}
			if do := w.NewWorker(newItem(t, w, 0, "")).Run(); do != core.DoFail || len(w.VisiblePosts()) != 0 {
				t.Errorf("ended with %s, visible: %v", do, w.VisiblePosts())
			}
		})
	}
	if reasons != 13 {
		t.Errorf("%d reasons are documented", reasons)
	}
}

// A failure that may pass is tried again with another upload, and shows one post.
func TestAnInternalFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	setOption(t, w, "tiktok.fail_reason", "internal")
	it := newItem(t, w, 0, "")
	handle := w.NewHandle(it)
	if _, err := w.Net.Publish(t.Context(), it, handle); err != nil {
		t.Fatal(err)
	}
	if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Broken {
		t.Fatalf("%+v, %v", st, err)
	}
	setOption(t, w, "tiktok.fail_reason", "none")
	if st, err := w.Net.AdvanceStatus(t.Context(), it, handle); err != nil || st.Verdict != core.Broken {
		t.Errorf("what has failed once is %+v, %v", st, err)
	}
	if do := w.NewWorker(it).Run(); do != core.DoLive || len(w.VisiblePosts()) != 1 {
		t.Errorf("ended with %s, visible: %v", do, w.VisiblePosts())
	}
}

func TestTheDayCapHoldsThePostUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	setOption(t, w, "tiktok.posts_a_day", "1")
	setOption(t, w, "tiktok.access_seconds", "864000")
	w.NewWorker(newItem(t, w, 0, "")).Run()
	k := w.NewWorker(newItem(t, w, 0, ""))
	if do := k.Run(); do != core.DoLive || len(w.VisiblePosts()) != 2 {
		t.Errorf("ended with %s, visible: %v", do, w.VisiblePosts())
	}
	first, second := w.VisiblePosts()[0].CreatedAt, w.VisiblePosts()[1].CreatedAt
	if gap := second.Sub(first).Hours(); gap < 24 || gap > 26 {
		t.Errorf("the second post followed after %v hours", gap)
	}
}

// Refusals may come with status 200: the code decides.
func TestErrorsWithStatus200AreErrors(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	setOption(t, w, "tiktok.errors_with_200", "on")
	it := newItem(t, w, 0, "")
	for reason, kind := range map[string]network.ErrorKind{
		"access_token_invalid": network.Lapsed, "spam_risk_too_many_posts": network.RateLimited,
		"privacy_level_option_mismatch": network.Rejected, "scope_not_authorized": network.Revoked,
	} {
		w.AddFault(sim.Fault{Call: "create", Kind: sim.Error, Reason: reason})
		_, err := w.Net.CreateHandle(t.Context(), it)
		if e := w.RequireError(err, kind, it.Token.Access); e.Code != reason || e.Status != http.StatusOK {
			t.Errorf("%s: %+v", reason, e)
		}
	}
	grant := w.GrantConsent()
	grant.Code += "x"
	_, err := w.Net.ExchangeCode(t.Context(), grant)
	if e := w.RequireError(err, network.Rejected); e.Code != "invalid_grant" {
		t.Errorf("exchange: %+v", e)
	}
}

// The id of a public post may be told late, and that of a private one never: both are live.
func TestAPostIsLiveBeforeItsIDIsKnown(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	setOption(t, w, "tiktok.id_delay_seconds", "3600")
	for _, settings := range []string{`{}`, `{"privacyLevel":"SELF_ONLY"}`} {
		k := w.NewWorker(newItem(t, w, 0, settings))
		if do := k.Run(); do != core.DoLive || k.ID != "" || k.URL != "" {
			t.Errorf("ended with %s, %q at %q", do, k.ID, k.URL)
		}
	}
}

func TestOldRefreshTokensEnd(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	r := w.Net.(network.Refresher)
	old := w.Connect().Token
	if old.LapsesAt.Sub(w.Now()).Hours() != 2 || old.ExpiresAt.Sub(w.Now()).Hours() != 180*24 || !slices.Contains(old.Scopes, "video.publish") {
		t.Errorf("the token is %+v", old)
	}
	fresh, err := r.RefreshToken(t.Context(), old)
	if err != nil || fresh.Refresh == old.Refresh {
		t.Fatalf("%+v, %v", fresh, err)
	}
	_, err = r.RefreshToken(t.Context(), old)
	w.CheckError(err, network.Revoked, old.Access, old.Refresh)
	setOption(t, w, "tiktok.rotate", "off")
	again, err := r.RefreshToken(t.Context(), fresh)
	if err != nil || again.Refresh != fresh.Refresh {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestATokenWithoutALifetimeIsUsedForAnHour(t *testing.T) {
	t.Parallel()
	w := nt.NewWorld(t, harness())
	old := w.Connect().Token
	w.ReplaceServer(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = rw.Write([]byte(`{"access_token":"act.next","token_type":"Bearer"}`))
	})
	fresh, err := w.Net.(network.Refresher).RefreshToken(t.Context(), old)
	if err != nil || fresh.Access != "act.next" || fresh.LapsesAt.Sub(w.Now()) != time.Hour {
		t.Errorf("lapses at %s, %v", fresh.LapsesAt, err)
	}
}

func TestAnAccountThatMayNotPublishIsNotConnected(t *testing.T) {
	t.Parallel()
	h := harness()
	h.Consent["withhold"] = []string{"video.publish", "user.info.profile"}
	w := nt.NewWorld(t, h)
	profiles, err := w.Net.ExchangeCode(t.Context(), w.GrantConsent())
	if err != nil || len(profiles) != 1 || !strings.Contains(profiles[0].Unusable, "video.publish") || profiles[0].DisplayName == "" {
		t.Errorf("%+v, %v", profiles, err)
	}
}

func TestTheChallengeIsWrittenAsTheServerIsSet(t *testing.T) {
	t.Parallel()
	const challenge = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU" // of the empty text
	for form, want := range map[string]string{
		"hex": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "base64url": challenge,
	} {
		n, err := tiktok.New(network.Environment{
			Client: network.NewClient(network.ClientConfig{}),
			Get: func(name string) string {
				return map[string]string{"TIKTOK_PKCE": form, "TIKTOK_SETTLE": "1s"}[name]
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		address := n.AuthorizeURL(network.AuthRequest{Challenge: challenge, State: "s", RedirectURI: "https://a.example/"})
		if !strings.Contains(address, "code_challenge="+want+"&") || !n.Describe().PKCE {
			t.Errorf("%s: %s", form, address)
		}
	}
}
