package main

// bug is an edit of one file that breaks a guarantee, and the tests of one package that must then fail. An edit that
// introduces a race also makes it likely enough that the tests always encounter it.
type bug struct {
	Name     string
	File     string
	Old, New string
	Package  string
	Tests    []string
}

const (
	ledger = "internal/store/publication.go"
	turns  = "internal/store/turn.go"
	worker = "internal/publish/run.go"
	rules  = "internal/core/publish.go"
	engine = "internal/publish"
	deaths = "internal/publish/crashtest"
	verbs  = "internal/app"
)

var bugs = []bug{
	{
		Name: "no fence", File: ledger,
		Old:     "AND lease_epoch = @epoch AND lease_owner = @owner`",
		New:     "AND @epoch::bigint > 0 AND @owner::text IS NOT NULL`",
		Package: engine, Tests: []string{"TestAClaimThatTheDatabaseForgotIsFenced"},
	},
	{
		Name: "a worker takes posts that another has claimed", File: ledger,
		Old:     "const unleased = `(lease_until IS NULL OR lease_until <= clock())`",
		New:     "const unleased = `(lease_until IS NULL OR lease_until <= clock() + interval '1 hour')`",
		Package: engine, Tests: []string{"TestReplicasShareDuePostsAndSendEachOnce"},
	},
	{
		Name: "no arm saved", File: worker,
		Old: "stepID, err := c.tenant.SaveStepBeforeCall(ctx, c.pub, ",
		New: "unarmed := c.pub\n\tif do == core.DoPublish {\n\t\tunarmed.Step, unarmed.Armed, unarmed.Open = core.StepWaiting, false, false\n\t}\n\t" +
			"stepID, err := c.tenant.SaveStepBeforeCall(ctx, unarmed, ",
		Package: engine, Tests: []string{"TestTheArmIsOnRecordBeforeTheCallIsMade"},
	},
	{
		Name: "a post is armed before it is due", File: turns,
		Old:     " AND (due_at <= clock() OR @call = 'find') FOR NO KEY UPDATE",
		New:     " FOR NO KEY UPDATE",
		Package: engine, Tests: []string{"TestTheDatabaseArmsNoPostBeforeItsTime"},
	},
	{
		Name: "a hold stops only new claims", File: turns,
		Old:     " AND ` + holdAllowsCall + ` AND (due_at",
		New:     " AND (due_at",
		Package: engine, Tests: []string{"TestTheDatabaseSavesNoIrreversibleCallDuringAHold"},
	},
	{
		Name: "a post takes the turn of another", File: turns,
		Old: "WHERE t.post_id = excluded.post_id OR t.until <= clock()\n\t\t\tRETURNING post_id\n\t\t)`",
		New: "RETURNING post_id\n\t\t)`", Package: engine,
		Tests: []string{"TestTheDatabaseArmsOnePostOfAnAccountAtATime", "TestPostsOfAnAccountArePublishedOneAfterAnother"},
	},
	{
		Name: "a turn is not passed on", File: turns,
		Old: "SELECT FROM fenced) FOR UPDATE", New: "SELECT FROM fenced WHERE false) FOR UPDATE",
		Package: engine, Tests: []string{"TestTheTurnGoesToThePostThatWasDueFirst"},
	},
	{
		Name: "the call of a dead worker is repeated without asking the network", File: rules,
		Old:     "return p, DoSettle\n\t\t}\n\t\treturn p, p.Flow.chooseOutcomeQuery()",
		New:     "return p, DoSettle\n\t\t}\n\t\treturn p.armAndPublish()",
		Package: deaths, Tests: []string{"TestAPostGoesOutOnceAfterAKill"},
	},
	{
		Name: "a lost call is repeated without asking the network", File: rules,
		Old:     "if !p.Flow.CanRepeatCall() {\n\t\treturn p, DoSettle\n\t}\n\treturn p, DoStatus\n}\n\n// nextAfterCallWithoutEffect",
		New:     "return p.armAndPublish()\n}\n\n// nextAfterCallWithoutEffect",
		Package: engine, Tests: []string{"TestASingleCallWithoutATraceEndsUnknown"},
	},
	{
		Name: "a call that the network never carries out is repeated without end", File: rules,
		Old:     "case p.Open && answer != AnswerNone:\n\t\treturn p.nextAfterCallWithoutEffect(s)",
		New:     "case p.Open:\n\t\treturn p.armAndPublish()",
		Package: engine, Tests: []string{"TestACallThatIsNeverCarriedOutIsMadeFourTimesAndNoMore"},
	},
	{
		Name: "a second call relies on an old search", File: rules,
		Old:     "case p.Armed: // an earlier call was refused",
		New:     "case p.Armed && p.Step == StepIdle: // an earlier call was refused",
		Package: engine, Tests: []string{"TestAPostThatAppearsLateIsFoundBeforeTheNextCall"},
	},
	{
		Name: "a refusal as a duplicate is like any other", File: worker,
		Old:     "e.Verdict(c.repeats)",
		New:     "e.Verdict(c.repeats && false)",
		Package: engine, Tests: []string{"TestAPostThatIsRefusedAsADuplicateOfItselfMayBeLive"},
	},
	{
		Name: "an error counts as evidence", File: rules,
		Old:     "p.Open, p.Answer = false, answers[s.Verdict]\n\t\treturn p, p.Flow.chooseOutcomeQuery()",
		New:     "p.Open, p.Answer = false, answers[s.Verdict]\n\t\treturn p.becomeFailedOrOutcomeUnknown(DoFail)",
		Package: engine, Tests: []string{"TestAPostShownSomeTimeAfterItsRefusalIsLive"},
	},
	{
		Name: "the settle time is ignored", File: worker,
		Old:     "s.Quiet = !callMadeAt.Before(c.pub.QuietAt)",
		New:     "s.Quiet = true",
		Package: engine, Tests: []string{"TestAPostShownSomeTimeAfterItsRefusalIsLive"},
	},
	{
		Name: "an armed handle is forgotten", File: "internal/app/post_move.go",
		Old:     "pub.Publication = pub.Requeue(p.HasUnknownOutcome())",
		New:     "pub = pub.Unqueue()",
		Package: engine, Tests: []string{"TestARetryAsksAboutTheHandleThatWasArmedAndMakesNoOther"},
	},
	{
		Name: "the irreversible call is repeated with another token", File: worker,
		Old:     "if renewErr := c.renewToken(ctx); do != core.DoPublish {",
		New:     "if renewErr := c.renewToken(ctx); do != \"\" {",
		Package: engine, Tests: []string{"TestAnIrreversibleCallWithALapsedTokenIsALostOne"},
	},
	{
		Name: "no receipt is written before the call", File: worker,
		Old:     "c.tryWriteReceipt(ctx, restore.Receipt{StepID: stepID, Handle: c.pub.Sealed})",
		New:     "_ = stepID",
		Package: engine, Tests: []string{"TestAfterARestoreAPostThatMayBePublishedIsNotSentAgain"},
	},
	{
		Name: "the link is fetched while the post becomes live", File: "internal/publish/outcome.go",
		Old: "return c.engine.enqueueFollowUpsIfIDKnown(ctx, t, change.Post, c.files)",
		New: "if _, err := c.net.FetchLink(ctx, c.item, change.Post.ExternalID); err != nil {\n\t\t\treturn store.ErrFenced\n\t\t}\n\t\t" +
			"return c.engine.enqueueFollowUpsIfIDKnown(ctx, t, change.Post, c.files)",
		Package: engine, Tests: []string{"TestAPostIsLiveAlthoughItsLinkCannotBeFetched"},
	},
	{
		Name: "a throttle holds only one replica", File: "internal/publish/throttle.go",
		Old:     "until := c.account.HeldUntil\n",
		New:     "var until time.Time\n",
		Package: engine, Tests: []string{"TestAThrottleHoldsTheAccountOnEveryReplica"},
	},
	{
		Name: "files are served before the arm", File: ledger,
		Old:     "AND gate = @gate AND armed)",
		New:     "AND gate = @gate)",
		Package: engine, Tests: []string{"TestGatedFilesAreGivenOutToTheArmedHandleOnly"},
	},
	{
		Name: "a stopping worker still publishes", File: worker,
		Old:     "case ctx.Err() != nil && do == core.DoPublish:",
		New:     "case ctx.Err() != nil && do == core.DoPublish && before.Armed:",
		Package: engine, Tests: []string{"TestAWorkerThatStopsBeforeTheIrreversibleCallKeepsWhatIsReady"},
	},
	{
		Name: "two workers renew a token at once", File: "internal/store/token.go",
		Old:     "SET token_refresh_at = clock() + @lease::interval, token_claimed_until = clock() + @lease::interval",
		New:     "SET token_claimed_until = clock() - @lease::interval",
		Package: verbs, Tests: []string{"TestARenewalIsOneWorkersAlone"},
	},
	{
		Name: "the quota is checked and then written", File: "internal/store/slot.go",
		Old: "SELECT @ws, @period, @n::bigint WHERE @limit::bigint IS NULL OR @n <= @limit\n" +
			"\tON CONFLICT (workspace_id, period) DO UPDATE SET used = m.used + @n WHERE @limit IS NULL OR m.used + @n <= @limit",
		New: "SELECT @ws, @period, @n::bigint WHERE @limit::bigint IS NULL OR\n" +
			"\t\t@n + coalesce((SELECT used FROM usage_month, pg_sleep(0.01) WHERE workspace_id = @ws AND period = @period), 0) <= @limit\n" +
			"\tON CONFLICT (workspace_id, period) DO UPDATE SET used = m.used + @n",
		Package: verbs, Tests: []string{"TestSlotsAreExactUnderConcurrency"},
	},
	{
		// A moment between the check and the write makes the race certain.
		Name: "the limit on creations is not locked", File: "internal/store/limits.go",
		Old: "FROM workspaces WHERE id = @ws FOR NO KEY UPDATE`, t.withWorkspace(nil))\n\taddBatchQuery(&batch, `\n" +
			"\t\tWITH counted AS (\n\t\t\tSELECT count(*) AS used,",
		New: "FROM workspaces WHERE id = @ws`, t.withWorkspace(nil))\n\taddBatchQuery(&batch, `\n" +
			"\t\tWITH counted AS (\n\t\t\tSELECT count(*) FILTER (WHERE pg_sleep(0.002) IS NOT NULL) AS used,",
		Package: verbs, Tests: []string{"TestHourlyLimitAdmits60Of64ConcurrentCreations"},
	},
	{
		Name: "a repeated request runs at the same time as the first", File: "internal/store/idempotency.go",
		Old:     "OR i.status = 0 AND i.locked_until <= clock()`",
		New:     "OR i.status = 0`",
		Package: verbs, Tests: []string{"TestOneOfManyConcurrentRepetitionsIsFirst"},
	},
	{
		Name: "a grant that another account needs is revoked", File: "internal/store/revocation.go",
		Old: "AND (a.grant_hash = @grant\n", New: "AND (a.grant_hash = @grant AND false\n",
		Package: verbs, Tests: []string{"TestTheLastAccountOfAGrantEndsIt", "TestReconnectingInTimeKeepsTheGrant"},
	},
	{
		Name: "a consent during a revocation is saved", File: "internal/store/revocation.go",
		Old: "AND quiet_at >= @begun)", New: "AND quiet_at >= @begun AND false)",
		Package: verbs, Tests: []string{"TestAConsentThatARevocationHasMetConnectsNothing"},
	},
	{
		Name: "an old notification from a network ends a new consent", File: "internal/store/grant.go",
		Old:     "`(granted_at IS NULL OR granted_at < @at::timestamptz + '1 second'::interval)`",
		New:     "`(@at::timestamptz IS NOT NULL)`",
		Package: verbs, Tests: []string{"TestAnOldNoticeDoesNotTouchANewConsent"},
	},
	{
		Name: "an unsigned callback is accepted", File: "internal/network/meta/callback.go",
		Old: "if !hmac.Equal(mac.Sum(nil), signed) {", New: "if len(signed) == 0 {",
		Package: "internal/network/meta", Tests: []string{"TestARequestThatIsNotSignedIsRefused"},
	},
}
