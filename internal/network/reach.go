package network

import "belfry/internal/core"

// PulledFileKinds returns the kinds of files that a network downloads for a post of the account with one file. Posts
// with such files need a public address.
func PulledFileKinds(n Network, account core.Account) []core.FileKind {
	var kinds []core.FileKind
	for _, kind := range []core.FileKind{core.FileImage, core.FileVideo} {
		file := core.Media{FileFacts: core.FileFacts{Kind: kind}}
		if n.DeliveryFor(Draft{Media: []core.Media{file}, Account: account}).Files == Pulled {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// NewMediaUnreachableError is the refusal of a post whose files the network would download from this server.
func NewMediaUnreachableError(name string) *Error {
	issue := core.IssueMediaUnreachable.With(name)
	return &Error{Kind: Rejected, Code: string(issue.Code), Message: issue.Message, Hint: issue.Hint}
}
