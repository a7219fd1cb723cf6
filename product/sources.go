package product

import (
	"cmp"
	"encoding/base64"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

func (c *checker) source(in *sourceYAML) {
	s := Source{
		Name: in.Name, Pos: c.Pos(in), Module: in.Module, Sum: in.Sum, GoModSum: in.GoModSum, Revision: in.Revision,
		URL: in.URL, Licenses: in.Licenses,
		GoFlags: GoFlags{in.Ldflags, in.Flags, in.Env, in.Tags},
	}
	if in.Module != "" {
		c.module(&in.Module)
	}
	c.hash(&in.Sum)
	c.hash(&in.GoModSum)
	if c.rebuild != nil {
		s.Confined, s.Sandbox = c.rebuild.Confined, c.rebuild.Sandbox
	}
	rebuilt, isRebuilt := c.rebuild.source(in.Name)
	if isRebuilt && in.Directory != "" {
		in.Directory, s.Revision = cmp.Or(rebuilt.Directory, in.Directory), rebuilt.Revision
	}
	if in.Directory != "" {
		s.Directory = c.directory(&in.Directory)
		s.Own, s.Made = c.own(s.Directory), c.out.Made
		for _, f := range []*string{&in.Sum, &in.GoModSum} {
			if c.Given(f) {
				c.Errorf(f, "a directory has no hash: take it out, or name a module")
			}
		}
	}
	c.checkForm(&in.Revision, "revision", revisionForm)
	if in.Created != "" {
		s.Created = c.time(&in.Created)
	}
	if isRebuilt {
		s.Commit, s.In, s.Proven = rebuilt.Commit, rebuilt.In, rebuilt.Proven
		if in.Directory != "" {
			s.Created = rebuilt.Created
		}
	}
	u, err := url.Parse(in.URL)
	switch {
	case in.URL == "":
	case err == nil && u.User != nil:
		c.Errorf(&in.URL, "the address has a user: take it out, since labels, SBOMs and the provenance have the "+
			"address")
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		c.Errorf(&in.URL, "%q is not the address of a web page: write https://…", in.URL)
	}
	c.goFlags(in.Ldflags, in.Flags, in.Env, s)
	c.goTags(in.Tags)
	s.Systems = c.systems(in.Systems, nil, s)
	c.out.Sources = append(c.out.Sources, s)
	if s.Created.After(c.out.Created) {
		c.out.Created = s.Created
	}
}

var revisionForm = form{lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`), "write the commit's hash"}

func (c *checker) module(s *string) {
	path, version, ok := strings.Cut(*s, "@")
	if !ok || version == "" {
		c.Errorf(s, "module %s has no version: write %s@v1.2.3", *s, path)
		return
	}
	if right, ok := majorPath(path, version); ok {
		c.Errorf(s, "%s is not a version of %s, since the path of a module "+
			"names its major version from v2 on: write %s", version, path, right)
		return
	}
	if err := module.Check(path, version); err != nil {
		c.Errorf(s, "%v: write path@version as go.mod has them, such as example.com/module@v1.2.3", err)
	}
}

// majorPath returns what to write for a version of another major version than the module's path
// names.
func majorPath(path, version string) (right string, ok bool) {
	prefix, now, valid := module.SplitPathVersion(path)
	if !valid || module.CheckPath(path) != nil || !semver.IsValid(version) ||
		module.CheckPathMajor(version, now) == nil {
		return "", false
	}
	gopkg := strings.HasPrefix(prefix, "gopkg.in/")
	switch major := semver.Major(version); {
	case gopkg:
		prefix += "." + major
	case major != "v0" && major != "v1":
		right = " (or " + prefix + "@" + version + "+incompatible, if it has no go.mod)"
		prefix += "/" + major
	}
	return prefix + "@" + version + right, module.Check(prefix, version) == nil
}

// hash checks that a hash has the form of go.sum (golang.org/x/mod/sumdb/dirhash.Hash1): h1: and
// the base64 of a SHA-256.
func (c *checker) hash(s *string) {
	if *s == "" {
		return
	}
	h, ok := strings.CutPrefix(*s, "h1:")
	b, err := base64.StdEncoding.Strict().DecodeString(h)
	if !ok || err != nil || len(b) != 32 {
		c.Errorf(s, "%q is not the hash of a module: "+
			"write h1: and 44 characters, as go.sum or go mod download -json has it", *s)
	}
}

// directory returns the absolute path of a directory that must be there.
func (c *checker) directory(s *string) string {
	return c.path(s, isDir, "directory")
}

func isDir(fi fs.FileInfo) bool     { return fi.IsDir() }
func isRegular(fi fs.FileInfo) bool { return fi.Mode().IsRegular() }

func (c *checker) path(s *string, is func(fs.FileInfo) bool, what string) string {
	full, why := c.stat(*s, is, what)
	if why != "" {
		c.Errorf(s, "%s", why)
	}
	return full
}

// stat resolves a path relative to slipway.yaml and returns why it is not what it should be.
func (c *checker) stat(s string, is func(fs.FileInfo) bool, what string) (full, why string) {
	full = filepath.FromSlash(s)
	if !filepath.IsAbs(full) {
		full = filepath.Join(c.out.Dir, full)
	}
	switch fi, err := os.Stat(full); {
	case err != nil:
		return full, "missing " + what + " " + s + ": correct the path, which is relative to " +
			filepath.Base(c.out.Path)
	case !is(fi):
		return full, s + " is not a " + what + ": correct the path"
	}
	return full, escapes(c.root(), full, s)
}

func (c *checker) time(s *string) time.Time {
	t, err := time.Parse(time.RFC3339, *s)
	switch {
	case err != nil:
		c.Errorf(s, "%q is not a time: write it as 2025-01-16T21:57:50Z", *s)
	case t.Unix() < 0:
		c.Errorf(s, "%s is before 1970: write the commit's time", *s)
	case t.Unix() > maxEpoch:
		c.Errorf(s, "%s is after %s, the last time that zip and tar archives can store: write the commit's time",
			*s, lastTime)
	}
	return t.UTC().Truncate(time.Second)
}
