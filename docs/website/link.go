package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// forge is where files are that are not in the site.
const forge = "https://github.com/slipway-dev/slipway"

// site is a site that is made from a repository.
type site struct {
	repository fs.FS
	pages      map[string]*page // by path
	lists      []list
	files      map[string][]byte // by address
}

// link rewrites the links of a page: to pages and to the files of docs relative to its address,
// to other files at the forge. The error has a line for each that leads nowhere.
func (s *site) link(p *page) error {
	var errs []error
	// it returns what the function does: nil
	_ = ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			n.Destination, err = s.resolve(p, string(n.Destination), false)
		case *ast.Image:
			n.Destination, err = s.resolve(p, string(n.Destination), true)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.at(n), err))
		}
		return ast.WalkContinue, nil
	})
	return errors.Join(errs...)
}

// resolve returns what a link of a page becomes in the site.
func (s *site) resolve(p *page, destination string, image bool) ([]byte, error) {
	u, err := url.Parse(destination)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the link is not a URL: %w", err)
	case !image && slices.Contains([]string{"https", "http", "mailto"}, u.Scheme):
		return []byte(destination), nil
	case u.Scheme != "" || u.Host != "" || u.RawQuery != "" || path.IsAbs(u.Path):
		return nil, fmt.Errorf("a link to %q works in one place only: write a path relative to the page, or https://",
			destination)
	}
	file := p.path
	if u.Path != "" {
		file = path.Join(path.Dir(p.path), u.Path)
	}
	info, err := fs.Stat(s.repository, file)
	if err != nil {
		return nil, fmt.Errorf("a link leads to %s, which does not exist", file)
	}
	if info.IsDir() && s.pages[path.Join(file, "README.md")] != nil {
		file = path.Join(file, "README.md")
	}
	if to := s.pages[file]; to != nil {
		if u.Fragment != "" && !slices.ContainsFunc(to.headings, func(h heading) bool { return h.ID == u.Fragment }) {
			return nil, fmt.Errorf("a link leads to #%s of %s, which has no such heading", u.Fragment, file)
		}
		p.links = append(p.links, file)
	} else if info.IsDir() || !strings.HasPrefix(file, "docs/") && !image {
		kind := map[bool]string{true: "tree", false: "blob"}[info.IsDir()]
		return []byte(forge + "/" + kind + "/main/" + (&url.URL{Path: file, Fragment: u.Fragment}).String()), nil
	} else if s.files[address(file)], err = fs.ReadFile(s.repository, file); err != nil {
		return nil, err
	}
	if file == p.path {
		return []byte((&url.URL{Fragment: u.Fragment}).String()), nil
	}
	return []byte((&url.URL{Path: relative(p.path, address(file)), Fragment: u.Fragment}).String()), nil
}

// relative returns the path from a page to an address.
func relative(from, to string) string {
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(address(from))), filepath.FromSlash(to))
	if err != nil {
		panic(err) // both are relative to the site
	}
	return filepath.ToSlash(rel)
}

// reachable returns an error for each page to which no links lead from first.
func (s *site) reachable(first string) error {
	seen := map[string]bool{first: true}
	for queue := []string{first}; len(queue) > 0; queue = queue[1:] {
		for _, to := range s.pages[queue[0]].links {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	var errs []error
	for _, file := range s.sorted() {
		if !seen[file] {
			errs = append(errs,
				fmt.Errorf("%s: no link leads to it from %s: add one to a page that is read before it", file, first))
		}
	}
	return errors.Join(errs...)
}
