package app

import ()

// RefusedAddresses counts the addresses that are remembered as over their limit.
func (a *App) RefusedAddresses() int {
	a.refused.mu.Lock()
	defer a.refused.mu.Unlock()
	return len(a.refused.until)
}
