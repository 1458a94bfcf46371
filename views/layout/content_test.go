package layout_test

import (
	"strings"
	"testing"

	"belfry/views/errorpage"
)

// What a person must find on a screen, or must not (want is empty): the texts of all elements that match.
func TestScreensShowWhatTheyShould(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, screen, selector string
		want                   []string
	}{
		{
			"the rail holds what exists today", "posts", ".rail nav a > span",
			[]string{"Posts", "Calendar", "Compose", "Media", "Accounts", "Groups", "Settings"},
		},
		{
			"only workspaces with equal names show their slugs", "keys", "[data-testid=switch] code",
			[]string{"bell-rope-studio-2"},
		},
		{"the switcher marks the current workspace", "keys", "#workspaces [aria-current=true] .switch-words > span", []string{
			"Bell & Rope Studio",
		}},
		{"the rail says where one is", "accounts", ".rail [aria-current=page] > span", []string{"Accounts"}},
		{
			"the banner of simulated networks is on every page", "keys", "[data-testid=sandbox] strong",
			[]string{"Sandbox:"},
		},
		{"and before signing in", "setup", "[data-testid=sandbox] strong", []string{"Sandbox:"}},
		{"but not beside real networks", "signin", "[data-testid=sandbox]", nil},
		{
			"what needs a person leads to where it is mended", "posts", "[data-testid=notice] a[href='/w/bell/accounts']",
			[]string{"Reconnect"},
		},
		{"a sign-out is a form", "posts", "form[action='/sign-out'][method=post]", []string{""}},

		{"tabs carry counts up to 200", "posts", ".tabs a", []string{"Up next 2", "Drafts 1", "Live 200+", "Failed 1", "All 200+"}},
		{"posts are grouped by day", "posts", "[data-testid=day] th", []string{"Tomorrow Sunday 22 November", "Monday 23 November"}},
		{"the zone stands once, in the header", "posts", "[data-testid=zone]", []string{"(Berlin)"}},
		{"a row has its time of day", "posts", ".post-time time", []string{"12:05", "12:05"}},
		{"a failed post says why in its row", "posts-failed", ".row-note", []string{"(#2) An unexpected error has occurred. Next try at 10:09."}},
		{"a live copy takes the place of the reason", "posts-all", ".row-note [data-testid=row-copy]", []string{"A copy is live"}},
		{"a post whose copy is live is not retried", "post-replaced", "[data-testid=retry]", nil},
		{"a draft without a time says by what it is sorted", "posts-all", ".post-time .row-note", []string{"Created 21 Nov"}},
		{
			"a search shows the passage that matches", "posts-search", "[data-testid=row-match]",
			[]string{"…on Saturday, rain or shine, and bring a friend who has never heard one from the inside."},
		},
		{"a search marks what it found", "posts-search", "mark", []string{"from", "from"}},
		{"a search says what other tabs have", "posts-no-match", "[data-testid=elsewhere] a", []string{"2 in Drafts", "1 in Live"}},
		{
			"drafts that were not scheduled keep their time", "posts-drafts",
			".post-move[open] #bulk-at[value='2026-11-30T09:00'], .post-move[open] [data-selected-posts]",
			[]string{"", "posts"},
		},
		{"a post that was refused is still selected", "posts", "input[name=post][form=bulk][checked]", []string{""}},
		{"a move to a day proposes tomorrow", "posts", "#bulk-day[value='2026-11-22']", []string{""}},
		{"what was done can be undone", "posts", ".flash form[action='/w/bell/posts/undo'] button", []string{"Undo"}},
		{
			"an action says for which posts it was refused", "posts", "[data-testid=flash-points] li",
			[]string{"2 posts: The time is in the past. Choose a later time, or choose Send now."},
		},
		{
			"a tab offers what its posts allow", "posts-failed", "#bulk .button:not([hidden])",
			[]string{"Retry", "Duplicate", "Delete…"},
		},
		{"a viewer selects nothing", "posts-viewer", "#bulk, .post-pick", nil},
		{"nor with the keyboard", "posts-viewer", "#shortcuts section:nth-of-type(2) dt", []string{
			"Search the list", "Go to the next or previous item", "Open the item",
		}},
		{
			"each filter can be removed", "posts-filtered", ".filter-chip > span:nth-child(2)",
			[]string{
				"Account: Ada Lindqvist on Threads", "Network: Threads", "From: 20 November 2026", "To: 30 November 2026",
			},
		},
		{
			"removing one leaves the others", "posts-filtered",
			".filter-chip[href='/w/bell/posts?from=2026-11-20&network=threads&to=2026-11-30']",
			[]string{"Remove filter Account: Ada Lindqvist on Threads"},
		},
		{
			"the library says when files are deleted", "media", ".head-words p",
			[]string{"Pinned files and files that a post still needs are kept. The content of any other file is deleted 72 hours " +
				"after the last post that uses it goes live."},
		},
		{"a tile says when its file is deleted", "media", "[data-testid=deletion]", []string{"Will be deleted on 22 Nov"}},
		{"and so does a row", "media-list", "[data-testid=deletion]", []string{"Will be deleted on 22 Nov"}},
		{"a file's page leads to the box that keeps it", "media-video", "[data-testid=kept] a[href='#file-pinned']", []string{"pin it"}},
		{"but not for a viewer", "media-video-viewer", "[data-testid=kept] a", nil},
		{"a search without matches is quoted", "media-no-match", ".empty p", []string{"No files match “zyzzyva”."}},
		{"and can be cleared", "media-no-match", ".empty a[href='/w/bell/media']", []string{"Clear the search"}},
		{"it is not repeated as a filter", "media-no-match", ".filter-chip", nil},
		{
			"so can each filter of the library, and its order", "media-filtered", ".filter-chip > span:nth-child(2)",
			[]string{"Text: bell", "Type: Images", "Tag: noon", "Tag: dusk", "Order: By name"},
		},
		{
			"without it, the folder and the other tag stay", "media-filtered",
			".filter-chip[href='/w/bell/media?folder=fld_1&kind=image&q=bell&sort=name&tag=dusk']",
			[]string{"Remove filter Tag: noon"},
		},
		{"each tab has its address", "posts", ".tabs a[href='/w/bell/posts?status=draft']", []string{"Drafts 1"}},
		{"a page of the list leads to the next", "posts", "a[rel=next][href='/w/bell/posts?cursor=abc']", []string{"Next page"}},
		{
			"a search is kept in its input, as text", "posts-no-match", "input[name=q][value='<script>alert(1)</script>']",
			[]string{""},
		},
		{"a search alone is no filter", "posts-no-match", ".filter-chip", nil},
		{"a search without a match says so", "posts-no-match", "[data-testid=empty] h2", []string{"No matching posts"}},
		{
			"a newcomer is sent to the accounts", "posts-empty", "[data-testid=empty] a[href='/w/bell/accounts']",
			[]string{"Connect an account"},
		},
		{"then to the composer", "posts-first", "[data-testid=empty] a[href='/w/bell/compose']", []string{"Compose"}},
		{"nothing scheduled is no first run", "posts-none", "[data-testid=empty] h2", []string{"Nothing is scheduled"}},
		{
			"what went live today is a link away", "posts-live-today", "[data-testid=empty] a[href='/w/bell/posts?status=live']",
			[]string{"View live posts"},
		},
		{"an empty state has its own words", "posts-failed-none", "[data-testid=empty] h2", []string{"No failed posts"}},

		{
			"each network counts in its own unit", "compose-wrong", ".counter.over .counter-room",
			[]string{"too long by 120 characters"},
		},
		{
			"a network's own text is counted instead", "compose-ready", "[data-testid=counter-threads] .counter-room",
			[]string{"453 characters left"},
		},
		{
			"the button says what happens", "compose-ready", "#submit:not([disabled]) [data-submit-label]",
			[]string{"Schedule 2 posts"},
		},
		{"the dots of a month are explained", "calendar", ".dot-legend .dots", []string{"Queued", "Draft", "Live", "Failed"}},
		{"live posts cannot be moved together", "part-calendar-together", "[data-testid=move-together]", nil},
		{"a day with many posts has their number beside its dots", "calendar", ".today .dots", []string{"20"}},
		{"the plan says which network has its own text", "compose-ready", ".plan-own", []string{"own text"}},
		{
			"what is confirmed begins with the shared text", "compose-ready", "#plan > .plan-words",
			[]string{"The workshop bell is up. Come and hear it ring at noon on Saturday, rain or shine."},
		},
		{
			"and has each network's own text", "compose-ready", "[data-testid=plan-row] .plan-words",
			[]string{"The bell is up. Saturday, noon. Bring a friend."},
		},
		{"and so does its tab", "compose-ready", "[for=tab-threads] .unseen", []string{", own text"}},
		{"the button waits for a plan", "compose", "#submit[disabled]", []string{"Send now"}},
		{
			"without a script the plan is a button away", "compose", "button.needs-no-js[formaction='/w/bell/compose/plan']",
			[]string{"Check the plan"},
		},
		{
			"a cause stands once in the plan", "compose-wrong", "[data-testid=issue] .note-what, [data-testid=issue] .note-who",
			[]string{"The text is too long for Threads and Facebook."},
		},
		{"and leads to its input", "compose-wrong", "[data-testid=issue] a[href='#text']", []string{
			"The text is too long for Threads and Facebook.",
		}},
		{
			"where its hint stands", "compose-many", "#text-error .note-hint",
			[]string{"The limit is 500, by the network's own count. Shorten the text, or write a separate text for this network."},
		},
		{
			"a warning stands apart", "compose-wrong", ".warning[data-testid=warning] .note-what",
			[]string{"The same text was posted to Bell & Rope within the last day."},
		},
		{
			"a conversion is no problem of its file", "compose-converted", "#strip:not([aria-invalid]) .info .note-what",
			[]string{"Belfry sends harbour.png to Threads and Facebook in JPEG format."},
		},
		{
			"an error of the form stands beside its input", "compose-wrong", "#text-error .note-what",
			[]string{"The text is too long."},
		},
		{"a tab says how many problems it has", "compose-wrong", "[for=tab-facebook] .tab-problems", []string{"2"}},
		{"so does the tab of all networks", "compose-wrong", "[for=tab-all] .tab-problems", []string{"1"}},
		{
			"chosen accounts come first", "compose-many", ".chip:nth-child(-n+2) input[checked]",
			[]string{"", ""},
		},
		{
			"if two accounts have one name, all show their network", "compose-converted", ".chip-network",
			[]string{"Threads", "Facebook", "Facebook"},
		},
		{"accounts with names of their own do not", "compose-many", ".chip-network", nil},
		{"many accounts can be searched", "compose-many", "[data-searches-accounts]", []string{""}},
		{"a group is chosen by a button", "compose-many", "button[name=pick][value='group:grp_1'] > span", []string{
			"Bakeries", "2", ", 2 accounts",
		}},
		{"files can be moved by buttons", "compose-edit", "[data-testid=move-later]:not([disabled])", []string{"", ""}},
		{"a picture is described", "compose-edit", ".tile:first-child textarea[name='alt.med_1']", []string{"A bell"}},
		{"a film is not", "compose-edit", ".tile:nth-child(2) textarea", nil},
		{"a time is also told in UTC and from now", "compose-ready", "[data-testid=when-says] span", []string{
			"10:05 UTC", "tomorrow",
		}},
		{"a plan with issues cannot be sent", "compose-wrong", "#submit[disabled]", []string{"Send 2 posts now…"}},
		{
			"a draft's account is fixed", "compose-edit", "[data-testid=fixed-account] > span:last-child, input[name=account]",
			[]string{"Ada Lindqvist on Threads"},
		},
		{
			"a draft goes back to its own address", "compose-edit", "form#compose[action='/w/bell/posts/" + postID + "/edit'] #submit",
			[]string{"Save draft"},
		},
		{
			"a wrong setting says so beside its input", "compose-wrong", "#setting-facebook-link-error",
			[]string{"Enter an address that begins with https://."},
		},
		{
			"a setting of every kind has its input", "compose",
			"[name='settings.facebook.link'][type=url], [name='settings.facebook.published'][type=checkbox]," +
				" [name='settings.facebook.day'][type=date], textarea[name='settings.facebook.targets'], [name='settings.facebook.age'][type=number][disabled]," +
				" select[name='settings.threads.replyControl'], [name='settings.threads.topic'][type=text]",
			[]string{"", "Automatic EveryoneFollowers", "", "", "", "", ""},
		},
		{"a chosen setting is kept", "compose-ready", "option[value=followers][selected]", []string{"Followers"}},
		{"no account, no composer", "compose-no-account", "form#compose", nil},

		{
			"a post's page hears of its changes", "post-queued",
			"body[data-stream='/w/bell/live'] #post[data-live='" + postID + "'][hx-trigger=live] h1 .post-network",
			[]string{"on Threads"},
		},
		{"a post that only a person can tell of says so", "post-unknown", ".post-status [data-testid=status]", []string{"Needs you"}},
		{
			"a revoked account is reconnected first", "post-revoked", ".head-acts .primary",
			[]string{"Reconnect Ada Lindqvist on Threads"},
		},
		{"the button says it alone", "post-revoked", ".failure > p:not([data-testid])", nil},
		{
			"then the post is sent again", "post-revoked", "[data-testid=mend]",
			[]string{"If you reconnect the account here, Belfry sends this post again automatically."},
		},
		{"by those who may", "post-revoked-editor", "#reconnect", nil},
		{"until then, sending it again would fail", "post-revoked-editor", "#retry, .head-acts .primary", nil},
		{
			"who may not is told whom to ask", "post-revoked-editor", "[data-testid=mend]",
			[]string{"Ask an owner or admin of the workspace to reconnect the account."},
		},
		{
			"where nobody can reconnect, it says who must act", "post-revoked-not-set-up", "[data-testid=mend]",
			[]string{"Threads is not set up on this server. Ask the server's operator to add the network's credentials."},
		},
		{
			"what comes next is told", "post-queued", "[data-testid=timeline-next] .timeline-words",
			[]string{"Belfry sends the post to Threads at 11:05 CET so that Threads can process it in advance. The post is published at its scheduled time."},
		},
		{"editing is one press away", "post-queued", "#post-acts > .button", []string{"Edit"}},
		{
			"the other actions are in a menu", "post-queued", "#post-more > .menu-body .button",
			[]string{"Send now", "Move to drafts", "Duplicate", "Delete…"},
		},
		{
			"what mends a failed post is not in the menu", "post-failing", "#post-acts > .act > .button",
			[]string{"Retry", "Edit a copy"},
		},
		{
			"the time is changed above the timeline, where no column is empty without it", "post-queued",
			".post-side > #reschedule + .card .card-title",
			[]string{"Timeline"},
		},
		{
			"so is what keeps it from going out", "post-obstacles", "#post-notice .alert-title",
			[]string{"Publishing is on hold", "Ada Lindqvist on Threads: access was revoked"},
		},
		{
			"a live post without a link says why", "post-without-link", "[data-testid=link]",
			[]string{"Threads provides links only for public posts. Open Ada Lindqvist on Threads"},
		},
		{"a live post can be opened", "post-live", "a[data-testid=live-link][rel~=noopener]", []string{"Open on Threads"}},
		{
			"a failed post carries the network's own words", "post-failing", "blockquote",
			[]string{"(#2) An unexpected error has occurred. Please retry your request later."},
		},
		{
			"and the time of the next try", "post-failing", "[data-testid=next-try] time",
			[]string{"Sat 21 Nov 2026, 10:09 CET (Europe/Berlin)"},
		},
		{
			"an unknown outcome asks with two buttons", "post-unknown", "[data-testid=settle] button",
			[]string{"Yes, it is live", "No, send it again"},
		},
		{"and cannot be retried or copied blindly", "post-unknown", "#retry, #duplicate", nil},
		{"nor does its timeline end with a failure", "post-unknown", "[data-testid=event]:last-child .timeline-head span", []string{"Not confirmed"}},
		{
			"nor does its header say that it failed", "post-unknown", "[data-testid=status-line]",
			[]string{"Not confirmed · Sat 21 Nov 2026, 10:05 CET (Europe/Berlin)"},
		},
		{"deleting asks first", "post-draft", "a[href='/w/bell/posts/" + postID + "/delete']", []string{"Delete…"}},
		{
			"the timeline is in order", "post-live", "[data-testid=event] .timeline-head > span",
			[]string{"Created", "Queued", "Publishing", "Live"},
		},

		{
			"each network has one button to connect", "accounts", "a[href^='/w/bell/accounts/connect/']",
			[]string{"Connect a profile", "Connect a Page"},
		},
		{"none for one without credentials", "accounts", "[data-testid=tile-sixth] a", nil},
		{"none when the plan is full", "accounts-full", "a[href^='/w/bell/accounts/connect/']", nil},
		{
			"an account says why it needs a person", "accounts", "[data-status=expired] + .account-notes .account-note",
			[]string{"The consent ran out on 3 November.", "2 posts failed because Belfry had lost access to the account"},
		},
		{"the names of rows do not contain the accounts' ids", "accounts", "th[scope=row] .account-id", nil},
		{
			"a profile that cannot be used cannot be picked", "accounts-choose", "input[name=profile][disabled][value='3']",
			[]string{""},
		},

		{"a new key is shown", "keys-made", "#new-key", []string{"belfry_live_Zx81kQpMv7nL2sT9wYb4cD6eF8gH0jK1aBcDeF"}},
		{"and never again", "keys", "#new-key", nil},
		{"a key is known by its beginning", "keys", "[data-key-id=key_1] code", []string{"belfry_live_Zx81kQpM…"}},

		{"a wrong input keeps its value", "setup-wrong", "input[name=email][value='ada@'][aria-invalid=true]", []string{""}},
		{"but a password is not drawn again", "setup-wrong", "input[type=password][value]:not([value=''])", nil},
		{
			"the code of the link is sent along unseen", "setup", "input[name=code][type=hidden][value=OPENSESAME]",
			[]string{""},
		},
		{"without it the code is asked for", "setup-wrong", "label[for=code]", []string{"Setup code"}},
		{"a manager reaches all settings", "audit", ".settings-nav a", []string{
			"General", "Members", "API keys", "Usage and limits", "Audit log", "Profile", "Password and sessions", "Theme and shortcuts",
		}},
		{"others what is theirs", "profile", ".settings-nav a", []string{
			"Usage and limits", "Profile", "Password and sessions", "Theme and shortcuts",
		}},
		{
			"an empty log has no filter to blame", "audit-none", "[data-testid=empty] p",
			[]string{"The audit log has no entries from the last year."},
		},
		{"a change in the log shows both values in the zone", "audit", "[data-action=post_changed] .help", []string{
			"Time: Thu 24 Dec 2026, 18:00 CET (Europe/Berlin)", "Status: draft → queued", "API key Newsletter script",
		}},
		{"a full meter says what happens", "plan", "[data-testid=meter-posts] .meter-note", []string{
			"Limit reached: you can still write drafts. To schedule more posts, wait until next month or turn posts that you queued this month into drafts.",
		}},
		{"a session cannot end itself in the list", "security", "[data-testid=session] form", []string{"Sign out"}},
		{"a password is never drawn again", "security-wrong", "input[type=password][value]:not([value=''])", nil},
		{"signing in leads back", "signin-refused", "input[name=next][value='/posts']", []string{""}},

		{"results are options", "part-palette", "[role=option]", []string{"Posts", "The workshop is open. <b> Live …the big bell rings at <b>noon</b>."}},
		{"a search without a result says so", "part-palette-none", ".palette-none", []string{"Nothing found for “<script>”. Try fewer words, or part of a word."}},
		{"the search works as a page", "search", "main .palette-entry[href='/w/bell/posts']", []string{"Posts"}},
		{
			"first steps say what is done", "first-steps", "[data-testid=first-steps] li[data-done=true] h3",
			[]string{"Connect an account (done)"},
		},
		{"and how to hide them", "first-steps", "form[action='/w/bell/first-steps/hide'] button", []string{"Hide first steps"}},
		{
			"the next one has the primary button", "first-steps", "[data-testid=first-steps] .primary",
			[]string{"Add a file"},
		},
		{"the empty list below does not repeat them", "first-steps", "[data-testid=empty] .button", nil},
		{
			"an editor is told who connects accounts", "first-steps-editor", "[data-testid=first-steps] li:first-child > p",
			[]string{"Ask an owner or admin of the workspace to connect an account."},
		},
		{"without shortcuts of one key, none is listed", "first-steps-editor", "#shortcuts dt", []string{
			"Search pages, actions, accounts and posts", "Close the dialog", "Send, schedule or save the post",
		}},
		{"nor works", "first-steps-editor", "body[data-shortcuts=off] .rail kbd", []string{"Ctrl K"}},
		{"several notices are one line", "attention", "details[data-testid=notices] > summary", []string{"3 things need your attention"}},
		{"with one line each inside", "attention", "details[data-testid=notices] [data-testid=notice] a", []string{
			"Reconnect", "Reconnect", "View",
		}},
		{
			"each says what it is about", "attention", "a[aria-label='Reconnect Old workshop page on Facebook']",
			[]string{"Reconnect"},
		},
		{"the rail counts what needs a person", "attention", ".rail .attention", []string{"1 to check", "2 to reconnect"}},
		{"the number leads to the posts", "attention", ".rail a.attention-link[href$='posts?status=failed']", []string{"1 to check"}},
		{"on a phone too", "attention", ".bar a.attention-link[href$='posts?status=failed']", []string{"1 to check"}},
		{
			"where a menu hides the other numbers, it shows their sum", "attention", ".bar-more summary .attention",
			[]string{"2 to reconnect"},
		},
		{"no link is inside another", "attention", "a a", nil},
		{"an error of the server can be tried again", "fault-500", "[data-testid=again]", []string{"Try again"}},
		{"an error says what to do", "fault-429", "[data-testid=advice]", []string{"Wait a moment, then try again."}},
		{"an error of the server carries its request id", "fault-500", "[data-testid=request-id]", []string{"req_01kbmx"}},
		{"a missing page carries none", "fault-404", "[data-testid=request-id]", nil},
		{
			"one can go to the next file, or see that there is no previous one", "media-file", ".file-neighbours > :enabled, .file-neighbours > a",
			[]string{"Next file"},
		},
		{"at the end of a list, the place of the other button stays", "media-file", ".file-neighbours > [disabled]", []string{"Previous file"}},
		{"an empty library has the button for the first files", "media-first", ".empty button", []string{"Upload files"}},
		{"a library without folders has no tree", "media-first", ".folders, .folder-head", nil},
		{"the form of a group counts its accounts", "group", "[data-counts]", []string{"7 of 14 selected"}},
		{"a color of a program's choice has a name", "group", ".swatch.other", []string{"Current color"}},
		{"an account without a reported limit says so", "accounts", ".no-limit", []string{"Not reported", "Not reported"}},
		{
			"what keeps posts from being published is a warning", "accounts", ".account-note.warn:has(.icon)", []string{
				"Reconnect the account before 24 Nov 2026, 10:05 CET to keep access.",
				"Threads is not accepting posts from this account right now: Try again tomorrow.",
				"Photos cannot be published, because Threads cannot download them from this server. " +
					"Ask the server's operator for a public address (BELFRY_MEDIA_URL).",
			},
		},
		{
			"an account to which access ends soon is not simply connected", "accounts", "[data-status=ok] [data-testid=status]",
			[]string{"Connected", "Expires soon"},
		},
		{"that of the first lost account is the main one", "accounts", "[data-status=expired] .primary", []string{"Reconnect"}},
		{"a network counts the accounts of all pages", "accounts", "[data-testid=network-threads] .tab-count", []string{"200"}},
		{"a full plan leads to the plans", "accounts-full", "[data-testid=alert] a", []string{"See subscription plans"}},
		{
			"who may not reconnect an account is told whom to ask", "accounts-reader", "[data-testid=ends], [data-testid=keeps-grant]",
			[]string{"Ask an owner or admin to reconnect the account before 24 Nov 2026, 10:05 CET to keep access."},
		},
		{"its button to reconnect is visible", "accounts", "[data-status=ok] [data-testid=reconnect]:not(.quiet)", []string{"Reconnect"}},
		{"nothing of a deleted file can be pinned", "media-removed", "[data-testid=file-pinned]", nil},
		{"only its details can be deleted", "media-removed", "[data-testid=delete-file]", []string{"Delete details…"}},
		{"all filters of the library can be cleared", "media-filtered", "[data-testid=chips] a:not(.filter-chip)", []string{"Clear all"}},
		{
			"groups that exist can be used without the plan", "groups-not-included", "[data-testid=alert] p", []string{
				"Your subscription plan does not include groups",
				"You can use, edit and delete existing groups, but you cannot create new ones.", "See subscription plans",
			},
		},
		{
			"the same column says who has joined and who was invited", "members", "[data-label=Status]", []string{
				"Joined 17 Nov 2026, 06:05 CET", "Invitation expires 28 Nov 2026, 09:05 CET", "Invitation expired",
			},
		},
		{"an address breaks only after @ and the dots", "members", ".member-email", []string{
			"ada@example.org", "ben@example.org", "maximiliane.von.und.zu.hohenbuchau@example.org",
		}},
		{"a result shows two networks and the number of others", "search-many", ".palette-marks:has(:nth-child(2))", []string{"+2"}},
		{"and no third", "search-many", ".palette-marks :nth-child(3)", nil},
		{"the title of a notice has no full stop", "keys-made", ".alert-title", []string{"Key “Newsletter script” created"}},
		{"nor has that of a refused request", "forgot-refused", ".alert-title", []string{"Too many requests"}},
		{"an account with one queued post says so", "accounts", "[data-status=expired] .account-queued", []string{"1 queued"}},
		{
			"a stranger is not told of workspaces and posts", "fault-stranger", ".fault > p:not(.fault-status)",
			[]string{
				"The address may be wrong, or the page may have been deleted.", "Check the address, or go to the start page.",
			},
		},
		{"an invited person can have forgotten the password", "invitation", "[data-testid=forgot] a", []string{"Forgot your password?"}},
		{"an invitation that was not emailed is no success", "members-unsent", ".alert:not(.warn)", nil},
		{"without accounts, a group leads to them", "group-wrong", ".group-form .help a", []string{"Connect an account"}},
		{
			"two versions of a group can be compared by the names of their accounts", "group-changed",
			".saved-accounts li:nth-child(-n + 2) .face-words > :first-child",
			[]string{"Ada Lindqvist", "Bell & Rope"},
		},
		{"a stranger's error has no rail", "fault-stranger", ".rail", nil},
		{"an error inside a page is no page", "part-fault", "main", nil},
	}
	screens := newFixture(t).screens()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, n := range draw(t, render(t, screens[test.screen])).all(test.selector) {
				got = append(got, text(n))
			}
			if strings.Join(got, "|") != strings.Join(test.want, "|") || len(got) != len(test.want) {
				t.Errorf("%s: %s: want %q, got %q", test.screen, test.selector, test.want, got)
			}
		})
	}
}

func TestTheLastResortNeedsNothingElse(t *testing.T) {
	t.Parallel()
	p := draw(t, []byte(errorpage.LastResort))
	if len(p.all("h1")) != 1 || len(p.all("link, script, img, style, [style]")) != 0 {
		t.Errorf("the last resort leans on something: %s", errorpage.LastResort)
	}
}
