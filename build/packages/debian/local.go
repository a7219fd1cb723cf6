package debian

import "fmt"

// AddLocal adds a package whose archive is given as a file, by the text of its control file. It
// is added after the status. The package can then be part of a request, in Local, or satisfy a
// dependency.
func (u *Universe) AddLocal(file, control string) (*Package, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s, ok := newStanzas(control, false).next()
	if !ok {
		return nil, fmt.Errorf("%s has an empty control file: build the package again", file)
	}
	src := &source{file: file, number: len(u.sources)}
	p, err := u.read(src, s)
	if err != nil {
		return nil, fmt.Errorf("the control file of %s: %w", file, err)
	}
	if !u.configured(p.slot.arch) {
		return nil, fmt.Errorf("%s is for %s: give a package for %s", file, p.Architecture, u.native)
	}
	u.sources, u.completed = append(u.sources, src), false
	return p, nil
}

// File returns the name of the file that AddLocal was called with, or nothing.
func (p *Package) File() string {
	for _, f := range p.files {
		if f.index.file != "" {
			return f.index.file
		}
	}
	return ""
}
