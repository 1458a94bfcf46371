package core

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

// Plan is what a subscription includes. A nil limit means none is set.
type Plan struct {
	Name         PlanName `json:"-"`
	Posts        *int64   `json:"posts"`
	Accounts     *int64   `json:"accounts"`
	Members      *int64   `json:"members"`
	StorageBytes *int64   `json:"storageBytes"`
	FileBytes    *int64   `json:"fileBytes"`
	Groups       bool     `json:"groups"`
	API          bool     `json:"api"`
	MCP          string   `json:"mcp"`
	HistoryDays  *int64   `json:"historyDays"`
}

// Plans is the table of subscriptions; an operator may replace it from PLANS_FILE.
type Plans map[PlanName]Plan

const gigabyte = 1_000_000_000

func limit(n int64) *int64 { return &n }

// DefaultPlans is the table of decisions.md. GB is 10^9 bytes.
func DefaultPlans() Plans {
	return Plans{
		PlanFree: {
			Name: PlanFree, Posts: limit(30), Accounts: limit(3), Members: limit(1), StorageBytes: limit(2 * gigabyte),
			FileBytes: limit(gigabyte / 2), MCP: "read", HistoryDays: limit(30),
		},
		PlanCreator: {
			Name: PlanCreator, Posts: limit(300), Accounts: limit(10), Members: limit(3), StorageBytes: limit(50 * gigabyte),
			FileBytes: limit(2 * gigabyte), Groups: true, API: true, MCP: "write", HistoryDays: limit(90),
		},
		PlanStudio: {
			Name: PlanStudio, Posts: limit(2000), Accounts: limit(40), Members: limit(10), StorageBytes: limit(250 * gigabyte),
			FileBytes: limit(5 * gigabyte), Groups: true, API: true, MCP: "write", HistoryDays: limit(365),
		},
		PlanAgency: {
			Name: PlanAgency, Accounts: limit(200), StorageBytes: limit(1000 * gigabyte),
			FileBytes: limit(10 * gigabyte), Groups: true, API: true, MCP: "write", HistoryDays: limit(365),
		},
		PlanOwner: {Name: PlanOwner, FileBytes: limit(20 * gigabyte), Groups: true, API: true, MCP: "write"},
	}
}

// NotIncluded is the 402 for a feature that the plan lacks.
func NotIncluded(feature string) *Error {
	e := Fail(CodeQuotaExceeded, "The plan of this workspace does not include %s.", feature)
	e.Quota = &QuotaFacts{}
	return e.WithHint("Change the plan to one that includes it.")
}

// OverQuota is the 402 of a month's posts, of accounts or of members.
func OverQuota(what string, used, limit int64) *Error {
	e := Fail(CodeQuotaExceeded, "The plan allows %d %s; %d are used.", limit, what, used)
	e.Quota = &QuotaFacts{Limit: limit, Used: used}
	return e.WithHint("Wait for the next month, cancel what is queued, or change the plan.")
}
