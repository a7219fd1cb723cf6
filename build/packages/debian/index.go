package debian

import (
	"errors"
	"fmt"
	"strings"
)

// Add reads the text of a Packages file of a repository. arch is the architecture of the index.
// Repositories must be added in the order of the sources: if two have the same version of a
// package, the archive comes from the first.
func (u *Universe) Add(r *Repository, arch, text string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	src := &source{repository: r, arch: arch, number: len(u.sources)}
	u.sources, u.completed = append(u.sources, src), false
	all := newStanzas(text, false)
	for s, ok := all.next(); ok; s, ok = all.next() {
		if _, err := u.read(src, s); err != nil {
			return fmt.Errorf("reading the %s packages of %s: line %d: %w", arch, r, s.line, err)
		}
	}
	return nil
}

// fields are the values of a stanza that are needed of every package.
type fields struct {
	name, version, arch, multiArch, provides, source string
	size, priority, status                           string
	essential, important, protected                  string
}

// scan goes through the lines of a stanza once.
func (f *fields) scan(text string) {
	for text != "" {
		line := text
		n := strings.IndexByte(text, '\n')
		if n >= 0 {
			line, text = text[:n], text[n+1:]
		} else {
			text = ""
		}
		colon := strings.IndexByte(line[:min(len(line), 20)], ':')
		if colon < 0 {
			continue
		}
		if to := f.named(line[:colon]); to != nil {
			*to = strings.TrimSpace(line[colon+1:])
			for text != "" && (text[0] == ' ' || text[0] == '\t') {
				more, rest, _ := strings.Cut(text, "\n")
				*to, text = *to+more, rest
			}
		}
	}
}

// named returns where the value of a field goes, or nil.
func (f *fields) named(name string) *string {
	switch name {
	case "Package":
		return &f.name
	case "Version":
		return &f.version
	case "Architecture":
		return &f.arch
	case "Multi-Arch":
		return &f.multiArch
	case "Provides":
		return &f.provides
	case "Source":
		return &f.source
	case "Size":
		return &f.size
	case "Priority":
		return &f.priority
	case "Status":
		return &f.status
	case "Essential":
		return &f.essential
	case "Important":
		return &f.important
	case "Protected":
		return &f.protected
	}
	return nil
}

// read adds a stanza to the packages, and returns the package that it describes. It returns nil
// for an entry of a status file without a version, of which only the state counts.
func (u *Universe) read(src *source, s Stanza) (*Package, error) {
	var f fields
	f.scan(s.text)
	if f.name == "" {
		return nil, errors.New("there is no Package field")
	}
	name := strings.ToLower(f.name)
	if f.arch == "" {
		f.arch = u.native
	}
	own := u.slot(name, f.arch)
	if f.version == "" {
		if src.status {
			return nil, own.setStatus(f.status, nil)
		}
		return nil, fmt.Errorf("%s has no Version field", f.name)
	}
	p, err := u.merge(src, s, own, &f)
	if err != nil {
		return nil, err
	}
	own.essential = own.essential || f.essential == "yes" || u.force[name]
	own.important = own.important || f.important == "yes" || f.protected == "yes" || u.force[name]
	if src.status {
		if err := own.setStatus(f.status, p); err != nil {
			return nil, err
		}
	}
	p.files = append(p.files, origin{src, s})
	return p, nil
}

// merge returns the version of a slot that a stanza describes, which it adds if it is new. Two
// stanzas with the same version and different relations are two packages, as for apt.
func (u *Universe) merge(src *source, s Stanza, own *slot, f *fields) (*Package, error) {
	at := 0
	for ; at < len(own.versions); at++ {
		v := own.versions[at]
		c := Compare(f.version, v.Version)
		if c > 0 {
			break
		}
		if c == 0 && (v.same(s, f) || !src.status && !v.downloadable()) {
			break
		}
	}
	if at < len(own.versions) && Compare(f.version, own.versions[at].Version) == 0 &&
		own.versions[at].relationHash() == relationHash(s) {
		return own.versions[at], nil
	}
	if len(u.pool) == 0 {
		u.pool = make([]Package, 1024)
	}
	p := &u.pool[0]
	u.pool = u.pool[1:]
	*p = Package{
		Name: own.family.name, Version: f.version, Architecture: f.arch, slot: own, stanza: s,
		multiArch: f.multi(), priority: f.rank(), number: u.packages,
	}
	u.packages++
	own.versions = append(own.versions, nil)
	copy(own.versions[at+1:], own.versions[at:])
	own.versions[at] = p
	p.source, p.sourceVersion = f.built(p)
	origin := u.family(p.source)
	origin.source = append(origin.source, p)
	if err := u.addProvides(p, f.provides); err != nil {
		return nil, fmt.Errorf("%s has a wrong Provides field: %w", p.Name, err)
	}
	return p, nil
}

// same reports whether a stanza describes this package too.
func (p *Package) same(s Stanza, f *fields) bool {
	if p.relationHash() != relationHash(s) || p.multiArch != f.multi() {
		return false
	}
	size := p.stanza.get("Size")
	return size == "" || f.size == "" || size == f.size
}

func (f *fields) multi() multiArch {
	switch f.multiArch {
	case "same":
		if f.arch != "all" {
			return maSame
		}
	case "foreign":
		return maForeign
	case "allowed":
		return maAllowed
	}
	return maNo
}

// rank returns the number of a priority.
func (f *fields) rank() int8 {
	switch strings.ToLower(f.priority) {
	case "":
		return 0
	case "required":
		return 1
	case "important":
		return 2
	case "standard":
		return 3
	case "optional":
		return 4
	}
	return 5
}

// built returns the source package: name (version), each only if it differs.
func (f *fields) built(p *Package) (name, version string) {
	if f.source == "" {
		return p.Name, p.Version
	}
	name, rest, _ := strings.Cut(f.source, " ")
	version = p.Version
	if _, after, ok := strings.Cut(rest, "("); ok {
		version, _, _ = strings.Cut(after, ")")
	}
	return name, version
}

// relationHash returns a hash of the relations that tells apart packages with one version.
func (p *Package) relationHash() uint32 {
	if p.hash == 0 {
		p.hash = relationHash(p.stanza)
	}
	return p.hash
}

// relationHash leaves out white space, epochs of zero and equals signs, which dpkg rewrites in
// its status.
func relationHash(s Stanza) uint32 {
	h := uint32(5381)
	for _, name := range []string{"Installed-Size", "Depends", "Pre-Depends", "Conflicts", "Breaks", "Replaces"} {
		value := s.get(name)
		for n := 0; n < len(value); n++ {
			c := value[n]
			switch {
			case c == '0' && n+1 < len(value) && value[n+1] == ':':
				n++
			case c == ' ' || c == '\t' || c == '\n' || c == '=':
			default:
				h = 33*h + uint32(c|0x20)
			}
		}
	}
	return h
}
