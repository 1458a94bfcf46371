// Package core contains the service's types, their states and the rules for them. It performs no I/O and imports no
// other package of the service.
package core
