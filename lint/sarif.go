package lint

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/plainjson"
)

// The parts of SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html)
// that findings need. Code hosts show such files next to the lines that they are about.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool             sarifTool         `json:"tool"`
		Language         string            `json:"language"`
		ColumnKind       string            `json:"columnKind"`
		NewlineSequences []string          `json:"newlineSequences"`
		Invocations      []sarifInvocation `json:"invocations,omitempty"`
		Results          []sarifResult     `json:"results"`
	}
	// sarifInvocation says that a run was incomplete.
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level   Severity  `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Version        string      `json:"version,omitempty"`
		Language       string      `json:"language"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string             `json:"id"`
		ShortDescription sarifText          `json:"shortDescription"`
		FullDescription  sarifText          `json:"fullDescription"`
		Help             sarifText          `json:"help"`
		HelpURI          string             `json:"helpUri"`
		Default          sarifConfiguration `json:"defaultConfiguration"`
	}
	sarifConfiguration struct {
		Level Severity `json:"level"` // SARIF has the same words for them
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        Severity           `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"` // none for an image that has no place in a file
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// WriteSARIF writes the findings as SARIF 2.1.0, those that are allowed among them as suppressed.
// version is that of slipway.
func (r *Report) WriteSARIF(w io.Writer, version string) error {
	driver := sarifDriver{
		Name: "slipway", InformationURI: "https://github.com/slipway-dev/slipway",
		Version: version, Language: "en-US", Rules: []sarifRule{},
	}
	for _, rule := range rules {
		driver.Rules = append(driver.Rules, sarifRule{
			ID: rule.ID, ShortDescription: sarifText{sentence(rule.Title)},
			FullDescription: sarifText{sentence(rule.Title) + " " + plain(rule.Reason)},
			Help:            sarifText{"Write instead: " + plain(rule.Instead) + "."}, HelpURI: rule.HelpURI(),
			Default: sarifConfiguration{rule.Severity},
		})
	}
	results := []sarifResult{}
	for _, f := range slices.Concat(r.Findings, r.Allowed) {
		results = append(results, f.sarif())
	}
	var invocations []sarifInvocation
	if len(r.Unread)+len(r.Skipped) > 0 {
		one := sarifInvocation{Successful: len(r.Unread) == 0}
		for _, u := range r.Unread {
			one.Notifications = append(one.Notifications, sarifNotification{Error, sarifText{u.String()}})
		}
		for _, u := range r.Skipped {
			one.Notifications = append(one.Notifications, sarifNotification{Note, sarifText{u.String()}})
		}
		invocations = append(invocations, one)
	}
	text, err := plainjson.Indent(sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool: sarifTool{driver}, Language: "en-US", ColumnKind: "unicodeCodePoints",
			NewlineSequences: []string{"\r\n", "\n"}, Invocations: invocations, Results: results,
		}},
	})
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

func (f Finding) sarif() sarifResult {
	s := sarifResult{
		RuleID: f.Rule, RuleIndex: slices.IndexFunc(rules, func(r Rule) bool { return r.ID == f.Rule }),
		Level:   f.Severity,
		Message: sarifText{sentence(f.What) + " Write instead: " + plain(f.Instead) + "."},
		Locations: []sarifLocation{{Physical: sarifPhysical{
			Artifact: sarifArtifact{(&url.URL{Path: filepath.ToSlash(f.File)}).String()},
		}}},
	}
	if f.Line > 0 {
		s.Locations[0].Physical.Region = &sarifRegion{f.Line, f.Column}
	}
	if f.Object != "" {
		s.Locations[0].Logical = []sarifLogical{{FullyQualifiedName: f.Object + " " + f.Path, Kind: "member"}}
	}
	if f.Reason != "" {
		s.Suppressions = []sarifSuppression{{Kind: f.allowedIn, Justification: f.Reason}}
	}
	return s
}
