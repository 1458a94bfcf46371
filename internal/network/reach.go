package network

import "belfry/internal/core"

// FileKindsNeedingPublicAddress returns the kinds of files that the network must download for a single-file post of the
// account. Such posts need a public address, unlike those whose files the connector can send.
func FileKindsNeedingPublicAddress(n Network, account core.Account) []core.FileKind {
	var kinds []core.FileKind
	for _, kind := range []core.FileKind{core.FileImage, core.FileVideo} {
		file := core.Media{FileFacts: core.FileFacts{Kind: kind}}
		if n.DeliveryFor(Draft{Media: []core.Media{file}, Account: account}).Files == Pulled {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// NewMediaUnreachableError returns the refusal of a post with files that the network cannot download because this
// server has no public address.
func NewMediaUnreachableError(networkName string) *Error {
	issue := core.IssueMediaUnreachable.OnNetwork(networkName)
	return &Error{Kind: Rejected, Code: string(issue.Code), Message: issue.Message, Hint: issue.Hint}
}
