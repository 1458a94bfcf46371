// Package core holds the nouns of the service, their states and the rules about them. It does no input or
// output and imports nothing of ours.
package core
