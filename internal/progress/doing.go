package progress

import (
	"slices"
	"sync"
)

// doing lists what this process works on, oldest first.
var doing struct {
	sync.Mutex
	list []*string
}

// Doing notes that this process works on something until done is called. Tasks do this
// themselves.
func Doing(what string) (done func()) {
	entry := &what
	doing.Lock()
	defer doing.Unlock()
	doing.list = append(doing.list, entry)
	return func() {
		doing.Lock()
		defer doing.Unlock()
		doing.list = slices.DeleteFunc(doing.list, func(e *string) bool { return e == entry })
	}
}

// Unfinished lists what this process works on, for a message about why it does not end.
func Unfinished() []string {
	doing.Lock()
	defer doing.Unlock()
	var all []string
	for _, e := range doing.list {
		all = append(all, *e)
	}
	return all
}
