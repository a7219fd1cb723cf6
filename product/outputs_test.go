package product_test

import (
	"testing"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

func TestOutput(t *testing.T) {
	linux, windows := platform.Platform{OS: "linux", Architecture: "arm64"},
		platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348"}
	for _, c := range []struct {
		place       string
		on          platform.Platform
		stage, file string
	}{
		{"bin/{{.Arch}}/app{{.Exe}}", linux, "", "/bin/arm64/app"},
		{"builder:/out/app{{.Exe}}", windows, "builder", "/out/app.exe"},
		{"builder:C:/out/app{{.Exe}}", windows, "builder", "/out/app.exe"},
		{"builder:c:/out/app", linux, "builder", "/out/app"},
		{"builder:D:/out/app", windows, "", ""},
		{"builder:out/app", linux, "", ""},
		{"builder:C:/", windows, "", ""},
	} {
		stage, file, err := product.Output(c.place, c.on, "1.0.0")
		if stage != c.stage || file != c.file || (err != nil) != (c.file == "") {
			t.Errorf("%s: %q %q %v, want %q %q", c.place, stage, file, err, c.stage, c.file)
		}
	}
}

func TestArgs(t *testing.T) {
	d := &product.DockerfileImage{Args: map[string]string{
		"EMPTY": "", "VARIANT": "{{.Variant}}",
		"$(cut)": "{{.Variant}}", "ARCH": "{{.Arch}}",
	}}
	on, err := d.On(platform.Platform{OS: "linux", Architecture: "amd64"}, product.BuildInfo{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"EMPTY": true, "VARIANT": false, "$(cut)": true, "ARCH": true} {
		if _, ok := on.Args[name]; ok != want {
			t.Errorf("argument %s is given: %v, want %v", name, ok, want)
		}
	}
}
