package platform_test

import (
	"encoding/json"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

// TestText writes and reads platforms that [platform.Parse] accepts, and those that only
// third-party images have.
func TestText(t *testing.T) {
	type document struct {
		On  platform.Platform   `json:"on,omitzero"`
		All []platform.Platform `json:"all,omitempty"`
	}
	for text, tc := range map[string]struct {
		on      platform.Platform
		release bool // a release can be made for it
	}{
		"linux/amd64":  {platform.Platform{OS: "linux", Architecture: "amd64"}, true},
		"linux/arm/v7": {platform.Platform{OS: "linux", Architecture: "arm", Variant: "v7"}, true},
		"windows/amd64:ltsc2022": {platform.Platform{
			OS: "windows", Architecture: "amd64",
			OSVersion: "10.0.20348",
		}, true},
		"windows/amd64:10.0.20348.169": {platform.Platform{
			OS: "windows", Architecture: "amd64",
			OSVersion: "10.0.20348.169",
		}, true},
		"linux(+erofs)/amd64": {platform.Platform{OS: "linux", Architecture: "amd64", OSFeatures: "erofs"}, false},
		"windows/amd64":       {platform.Platform{OS: "windows", Architecture: "amd64"}, false},
		"linux/mips64":        {platform.Platform{OS: "linux", Architecture: "mips64"}, false},
		"unknown/unknown":     {platform.Platform{OS: "unknown", Architecture: "unknown"}, false},
	} {
		b, err := json.Marshal(document{tc.on, []platform.Platform{tc.on}})
		if err != nil || string(b) != `{"on":"`+text+`","all":["`+text+`"]}` {
			t.Errorf("%+v is written %s (%v)", tc.on, b, err)
		}
		var got document
		if err := json.Unmarshal(b, &got); err != nil || got.On != tc.on || got.All[0] != tc.on {
			t.Errorf("%s is read as %+v (%v)", b, got, err)
		}
		if err := tc.on.Check(); (err == nil) != tc.release {
			t.Errorf("Check of %s: %v", text, err)
		}
		if again := platform.From(tc.on.V1()); again != tc.on {
			t.Errorf("%s becomes %s in a descriptor", text, again)
		}
	}
	if b, err := json.Marshal(document{}); err != nil || string(b) != "{}" {
		t.Errorf("no platform is written %s (%v)", b, err)
	}
	if p := platform.From(nil); !p.IsZero() || p.V1() != (*v1.Platform)(nil) || p.IsImage() {
		t.Errorf("nil becomes %+v", p)
	}
	var p platform.Platform
	if err := p.UnmarshalText([]byte("plan9")); err == nil {
		t.Errorf("plan9 is read as %+v", p)
	}
}
