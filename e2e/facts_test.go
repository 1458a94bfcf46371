package e2e

import (
	"fmt"
	"testing"
)

// Two accounts differ in what their network told when they were connected. The composer offers what both can use, as
// soon as both are chosen.
func TestComposerOffersSharedChoicesAsAccountsAreChosen(t *testing.T) {
	t.Parallel()
	s, b := openHarbourBakery(t)
	for i, kind := range []string{"public", "private"} {
		s.callSandbox("POST", "options", map[string]string{"tiktok.account": kind})
		b.clickLink(testid("nav-accounts"))
		b.clickLink(testid("connect-tiktok"))
		if i > 0 {
			b.runActions("choose the second account", clickOn(
				`input[name=account][value="-000nightowl4RsWc8uNf05JhGe6X"]`))
		}
		b.clickLink(testid("allow"))
		// The worker asks the network in the background.
		b.waitFor(fmt.Sprintf(`(() => {
			const read = async (query) =>
				new DOMParser().parseFromString(await (await fetch("/compose" + query)).text(), "text/html");
			const isLimited = async ({value}) => (await read("?account=" + value))
				.querySelector("[name='settings.tiktok.privacyLevel'] option[disabled]") !== null;
			read("").then((page) => Promise.all([...page.querySelectorAll("input[data-platform=tiktok]")].map(isLimited)))
				.then((limited) => { window.limited = limited.filter(Boolean).length; });
			return window.limited === %d;
		})()`, i+1))
	}
	b.clickLink(testid("nav-compose"))
	const offered = `[...document.querySelectorAll("[name='settings.tiktok.privacyLevel'] option:not([disabled])")]
		.map((option) => option.value).join(" ").trim() === `
	b.waitFor(offered + `"PUBLIC_TO_EVERYONE MUTUAL_FOLLOW_FRIENDS FOLLOWER_OF_CREATOR SELF_ONLY"`)
	choose := func(account string) {
		b.runActions("choose an account", clickOn(
			`:nth-child(`+account+` of label:has(input[data-platform=tiktok]))`))
	}
	choose("1")
	b.waitFor(offered + `"PUBLIC_TO_EVERYONE MUTUAL_FOLLOW_FRIENDS SELF_ONLY"`)
	choose("2")
	b.waitFor(offered + `"MUTUAL_FOLLOW_FRIENDS SELF_ONLY"`)
	choose("1")
	b.waitFor(offered + `"MUTUAL_FOLLOW_FRIENDS FOLLOWER_OF_CREATOR SELF_ONLY"`)
	b.checkConsole()
}
