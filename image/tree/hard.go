package tree

import "slices"

// harden makes a file at p one with several paths, and returns it.
func (t *Tree) harden(p string, n *Node) (*Node, error) {
	p, err := t.Spelled(p)
	if err != nil {
		return nil, err
	}
	k := *n
	k.Hard = true
	if t.Nodes[p] == n {
		t.Nodes[p] = &k
	}
	return &k, nil
}

// Change puts n in the place of a file: where that has several paths, at all of them, as what
// changes the mode, the owner or the content of a file does.
func (t *Tree) Change(p string, n *Node) error {
	p, err := t.Spelled(p)
	if err != nil {
		return err
	}
	old, err := t.Lstat(p)
	if err != nil {
		return err
	}
	if old == nil || !old.Hard || n == old {
		return t.Set(p, n)
	}
	k := *n
	k.Hard = true
	paths, err := t.paths(old)
	if err != nil {
		return err
	}
	for _, at := range paths {
		if err := t.Set(at, &k); err != nil {
			return err
		}
	}
	return nil
}

// paths returns the sorted paths of a file that has several.
func (t *Tree) paths(n *Node) ([]string, error) {
	var found []string
	for at := t; ; {
		for p, k := range at.Nodes {
			if k != n {
				continue
			}
			if is, err := t.Lstat(p); err != nil {
				return nil, err
			} else if is == n {
				found = append(found, p)
			}
		}
		if at.Below == nil {
			break
		}
		below, err := at.Below()
		if err != nil {
			return nil, err
		}
		at = below
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
