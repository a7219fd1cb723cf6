package node

// Stacks ends what runs as a Go program ends by SIGQUIT, and returns what it was at: every
// goroutine's stack, at most 64 KB of a program. Tests that have failed call it, as a program may
// hang.
func (a *Agent) Stacks() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all string
	for _, p := range a.running {
		all += p.Name + ":\n" + p.Quit() + "\n"
	}
	return all
}
