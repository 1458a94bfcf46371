package core

import (
	"fmt"
	"slices"
	"strings"
)

// PlanName is a subscription plan's name.
type PlanName string

// Plans (decisions.md, Plans). PlanOwner is internal and never sold.
const (
	PlanFree    PlanName = "free"
	PlanCreator PlanName = "creator"
	PlanStudio  PlanName = "studio"
	PlanAgency  PlanName = "agency"
	PlanOwner   PlanName = "owner"
)

// Plan is what a subscription includes. A nil limit means unlimited.
type Plan struct {
	Name         PlanName `json:"-"`
	Posts        *int64   `json:"posts"`
	Accounts     *int64   `json:"accounts"`
	Members      *int64   `json:"members"`
	Drafts       *int64   `json:"drafts"`
	StorageBytes *int64   `json:"storageBytes"`
	FileBytes    *int64   `json:"fileBytes"`
	Groups       bool     `json:"groups"`
	API          bool     `json:"api"`
	MCP          string   `json:"mcp"`
	HistoryDays  *int64   `json:"historyDays"`
}

// Plans is the table of subscription plans. An operator can change the limits of DefaultPlans in PLANS_FILE.
type Plans map[PlanName]Plan

// JoinNames returns the names of the plans, sorted and separated by commas.
func (p Plans) JoinNames() string {
	var names []string
	for name := range p {
		names = append(names, string(name))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

const gigabyte = 1_000_000_000

// DefaultPlans returns the plans of decisions.md. A GB is 10^9 bytes.
func DefaultPlans() Plans {
	return Plans{
		PlanFree: {
			Name: PlanFree, Posts: new(int64(30)), Accounts: new(int64(3)), Members: new(int64(1)), Drafts: new(int64(100)),
			StorageBytes: new(int64(2 * gigabyte)),
			FileBytes:    new(int64(gigabyte / 2)), MCP: "read", HistoryDays: new(int64(30)),
		},
		PlanCreator: {
			Name: PlanCreator, Posts: new(int64(300)), Accounts: new(int64(10)), Members: new(int64(3)),
			Drafts: new(int64(1000)), StorageBytes: new(int64(50 * gigabyte)),
			FileBytes: new(int64(2 * gigabyte)), Groups: true, API: true, MCP: "write", HistoryDays: new(int64(90)),
		},
		PlanStudio: {
			Name: PlanStudio, Posts: new(int64(2000)), Accounts: new(int64(40)), Members: new(int64(10)),
			Drafts: new(int64(5000)), StorageBytes: new(int64(250 * gigabyte)),
			FileBytes: new(int64(5 * gigabyte)), Groups: true, API: true, MCP: "write", HistoryDays: new(int64(365)),
		},
		PlanAgency: {
			Name: PlanAgency, Accounts: new(int64(200)), Drafts: new(int64(20_000)), StorageBytes: new(int64(1000 * gigabyte)),
			FileBytes: new(int64(10 * gigabyte)), Groups: true, API: true, MCP: "write", HistoryDays: new(int64(365)),
		},
		PlanOwner: {Name: PlanOwner, FileBytes: new(int64(20 * gigabyte)), Groups: true, API: true, MCP: "write"},
	}
}

// NewFeatureNotIncludedError returns quota_exceeded for a feature that the plan lacks.
func NewFeatureNotIncludedError(feature string) *Error {
	e := Fail(CodeQuotaExceeded, "This workspace's subscription plan does not include %s.", feature)
	e.Quota = &QuotaFacts{}
	return e.WithHint("Change to a subscription plan that includes %s.", feature)
}

// CheckDraftQuota returns quota_exceeded if the plan does not allow more drafts in addition to the existing ones.
func (p Plan) CheckDraftQuota(existing, more int64) error {
	if p.Drafts == nil || existing+more <= *p.Drafts {
		return nil
	}
	return NewQuotaExceededError("draft", "drafts", existing, *p.Drafts).WithHint("Queue or delete drafts, or change the subscription plan.")
}

// hintFreePostSlots is the hint about the limit on posts per month. A post uses a slot of the month in which it was
// queued, not of the month for which it is scheduled.
const hintFreePostSlots = "Wait until next month, turn posts that were queued this month into drafts, or change the subscription plan."

// NewPostQuotaExceededError returns quota_exceeded for the limit on posts per month.
func NewPostQuotaExceededError(used, limit int64) *Error {
	return NewQuotaExceededError("post per month", "posts per month", used, limit).
		WithHint(hintFreePostSlots)
}

// NewQuotaExceededError returns quota_exceeded for a limit of the plan. The caller adds the hint. singular and plural
// name what is limited, such as "member" and "members".
func NewQuotaExceededError(singular, plural string, used, limit int64) *Error {
	what, count := plural, "count"
	if limit == 1 {
		what = singular
	}
	if used == 1 {
		count = "counts"
	}
	e := Fail(CodeQuotaExceeded, "The subscription plan's limit is %d %s, and %d %s toward it.", limit, what, used, count)
	e.Quota = &QuotaFacts{Limit: limit, Used: used}
	return e
}

// AccountsToDisconnect says how many accounts to disconnect so that another one can be connected: "an account", or "at
// least 3 accounts" if more are connected than the plan allows.
func AccountsToDisconnect(used, limit int64) string {
	if used <= limit {
		return "an account"
	}
	return fmt.Sprintf("at least %d accounts", used-limit+1)
}
