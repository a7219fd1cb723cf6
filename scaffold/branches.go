package scaffold

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// ofBranches reports whether a workflow runs for pushes to branches, and for no tag or release.
func ofBranches(doc *yaml.Node) bool {
	push := yamlfile.Value(doc, "on", "push")
	return push != nil && yamlfile.Value(push, "branches") != nil && yamlfile.Value(push, "tags") == nil &&
		yamlfile.Value(doc, "on", "release") == nil
}

// forBranch reports whether the condition of a job is that of a branch, or of a pull request, alone.
func forBranch(condition string) bool {
	if noTag.MatchString(condition) || ofPulls.MatchString(condition) {
		return true
	}
	if ofOthers.MatchString(condition) {
		return false
	}
	branch := false
	for part := range strings.SplitSeq(condition, "||") {
		of := strings.Contains(part, "refs/heads/")
		if branch = branch || of; !of && !ofNobody.MatchString(part) {
			return false
		}
	}
	return branch
}

var (
	// noTag matches conditions that hold for no tag, whatever else they ask for.
	noTag = lazyregexp.New(`^[^|]*(?:startsWith\(github\.ref, ?'refs/tags/[^']*'\) (?:!= true|== false)|` +
		`!\s*startsWith\(github\.ref, ?'refs/tags/|github\.ref_type != 'tag')[^|]*$`)
	// ofPulls matches the condition that an event is that of a pull request.
	ofPulls = lazyregexp.New(`^[^|!]*github\.event_name == 'pull_request(?:_target)?'[^|]*$`)
	// ofOthers matches conditions that may hold for tags and releases, too.
	ofOthers = lazyregexp.New(`!|refs/tags|'tag'|'release'|event\.release`)
	// ofNobody matches conditions for what nobody tags.
	ofNobody = lazyregexp.New(`workflow_dispatch|schedule`)
)
