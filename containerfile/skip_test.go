package containerfile_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// TestDoubt copies out of stages with lines that are passed over. What such a line may have written
// is refused, with the line, and all else is copied.
func TestDoubt(t *testing.T) {
	const source = goSource + `
-- context/f.txt --
f
-- images/root --
layer
dir 755 0:0 etc
file 644 0:0 etc/release "root"
`
	for _, c := range []struct{ stage, copied, want string }{
		// a package manager writes to the directories of the system, and to the one that it is
		// given
		{
			"COPY f.txt /chroot/f.txt\nRUN apk add --root /chroot --initdb openssl",
			"/chroot/", "/chroot/ of the stage b may have other files than are known here, " +
				"since apk add --root /chroot --initdb openssl in line 3",
		},
		{"COPY f.txt /chroot/f.txt\nRUN apk add --root /chroot --initdb openssl", "/chroot/f.txt", ""},
		{"RUN apk add --root /chroot --initdb openssl\nCOPY f.txt /chroot/f.txt", "/chroot/", "apk add --root /chroot"},
		{
			"RUN apk add --root=/chroot --initdb openssl", "/chroot/etc/ssl/openssl.cnf",
			"/chroot/etc/ssl/openssl.cnf is not made in the stage b, and apk add",
		},
		{"COPY f.txt /chroot/f.txt\nRUN apk add -p /chroot openssl", "/", "apk add -p /chroot openssl in line 3"},
		{"COPY f.txt /chroot/f.txt\nRUN apk add openssl", "/chroot/", ""},
		{
			"WORKDIR /work\nCOPY f.txt root/f.txt\nRUN zypper --installroot root install -y tar", "/work",
			"zypper --installroot root install -y tar in line 4",
		},
		{
			"COPY --from=root / /mnt/rootfs\nRUN dnf install --installroot /mnt/rootfs -y nfs-utils " +
				"&& dnf --installroot /mnt/rootfs clean all", "/mnt/rootfs/",
			"dnf install --installroot /mnt/rootfs -y nfs-utils in line 3",
		},
		{
			"COPY --from=root / /mnt/rootfs\nRUN useradd -R /mnt/rootfs app && git config --global a b",
			"/mnt/rootfs/", "useradd -R /mnt/rootfs app in line 3",
		},
		{"COPY --from=root / /mnt/rootfs\nRUN dnf install -y nfs-utils", "/mnt/rootfs/", ""},
		{
			"COPY f.txt /chroot/f.txt\nRUN apk add --root /chroot openssl\nRUN cp -r /chroot /out",
			"/out", "the files of the base are unknown, since the stage compiles programs",
		},
		{
			"COPY f.txt /chroot/f.txt\nRUN apk add --root /chroot openssl\nRUN mv /chroot /out", "/out",
			"the files of the base are unknown, since the stage compiles programs",
		},
		{
			"RUN ln -s /real /chroot\nCOPY f.txt /real/f.txt\nRUN apk add --root /chroot openssl", "/real",
			"apk add --root /chroot openssl in line 4",
		},
		{"RUN apk add git\nCOPY f.txt /etc/app/f.txt", "/etc/app/f.txt", ""},
		{
			"COPY f.txt /etc/passwd\nRUN adduser -D app && git config --global a b", "/etc/passwd",
			"adduser -D app in line 3",
		},
		{
			"COPY f.txt /etc/ssl/certs/ca.pem\nRUN update-ca-certificates && git config --global a b",
			"/etc/ssl/certs/ca.pem",
			"update-ca-certificates in line 3",
		},
		// the likely one of several is named
		{
			"RUN adduser -D app\nRUN apk add ca-certificates && update-ca-certificates",
			"/etc/ssl/certs/ca-certificates.crt", "and apk add ca-certificates in line 3, which may make it",
		},
		{
			"RUN apk add ca-certificates\nRUN adduser -D app", "/etc/passwd",
			"and adduser -D app in line 3, which may make it",
		},
		// a script and make write to the working directory and to the paths that they are given
		{"WORKDIR /src\nCOPY f.txt .\nRUN make", "/src/f.txt", "4:5: RUN make: no command is run here"},
		{
			"WORKDIR /src\nCOPY f.txt .\nRUN make",
			"/src/bin/app", "(/src/bin/app, which is copied from the stage b, may be what it writes)",
		},
		{"WORKDIR /src\nRUN make\nCOPY f.txt .", "/src/f.txt", ""},
		{"WORKDIR /src\nCOPY f.txt /out/f.txt\nRUN make", "/out/f.txt", ""},
		{"WORKDIR /src\nCOPY f.txt /out/f.txt\nRUN make", "/out", "4:5: RUN make: no command is run here"},
		{"WORKDIR /src\nRUN make\nCOPY f.txt /out/f.txt", "/out", ""},
		{"WORKDIR /src\nRUN make DESTDIR=/out install\nCOPY f.txt /out/f.txt", "/out", "3:5: RUN make"},
		{"WORKDIR /src\nRUN make DESTDIR=/out install\nCOPY f.txt /out/f.txt", "/out/f.txt", ""},
		{"WORKDIR /src\nCOPY f.txt /out/f.txt\nRUN make DESTDIR=/out install", "/out/f.txt", "4:5: RUN make"},
		{"WORKDIR /src\nCOPY f.txt /out/f.txt\nRUN DESTDIR=/out make install", "/out/f.txt", "4:18: RUN make"},
		{"ENV DESTDIR=/out\nWORKDIR /src\nCOPY f.txt /out/f.txt\nRUN make install", "/out/f.txt", "5:5: RUN make"},
		{"WORKDIR /src\nRUN make\nRUN rm -rf /out && mkdir /out && touch /out/x", "/out", ""},
		{
			"WORKDIR /src\nCOPY f.txt /out/f.txt\nRUN git clone https://a.example/x && go version",
			"/src/x", "4:5: RUN git: no command is run here",
		},
		{
			"WORKDIR /src\nCOPY . .\nRUN ./hack/generate.sh && go version\nRUN go build -o /out/x",
			"/out/x", "4:5: RUN ./hack/generate.sh needs a machine",
		},
		{"WORKDIR /src\nCOPY . .\nRUN cd /tools && ./install.sh && go version\nRUN go build -o /out/x", "/out/x", ""},
		{"WORKDIR /src\nCOPY . .\nRUN make tools\nCOPY . .\nRUN go build -o /out/x", "/out/x", "4:5: RUN make"},
		{"WORKDIR /src\nRUN make && cp bin/x /out/x", "/out/x", "3:5: RUN make"},
		// of a go build, its program
		{"WORKDIR /src\nCOPY . .\nRUN go build -o /out/x\nRUN CGO_ENABLED=1 go build -o /debug/x", "/out", ""},
		{
			"WORKDIR /src\nCOPY . .\nRUN go build -o /out/x\nRUN CGO_ENABLED=1 go build -o /debug/x",
			"/debug", "5:5: RUN go build: CGO_ENABLED=1 needs a C compiler",
		},
		{
			"WORKDIR /src\nCOPY . .\nRUN go build -o /out/x\nRUN CGO_ENABLED=1 go build -o /out/x",
			"/out/x", "5:5: RUN go build: CGO_ENABLED=1 needs a C compiler",
		},
		{"WORKDIR /src\nCOPY . .\nRUN go build -o /out/x && go test -c -o /src/x.test", "/out/x", ""},
		{
			"WORKDIR /src\nCOPY . .\nRUN go test -c -o /src/x.test", "/src/x.test",
			"go test -c -o /src/x.test in line 4, which may make it",
		},
		{"WORKDIR /src\nCOPY . .\nRUN go mod vendor", "/src/vendor", "go mod vendor in line 4, which may make it"},
		{"WORKDIR /src\nCOPY . .\nRUN go mod vendor", "/src/f.txt", ""},
		{
			"RUN GOBIN=/tools go install example.com/gen@v1", "/tools/gen",
			"go install example.com/gen@v1 in line 2, which may make it",
		},
		// a whole line
		{"WORKDIR /src\nCOPY f.txt /out/f.txt\nRUN until make; do echo again; done", "/out/f.txt", ""},
		{
			"WORKDIR /src\nCOPY f.txt /out/f.txt\nRUN until make; do echo again; done",
			"/out", "4:5: RUN is only carried out where it does nothing but change files",
		},
	} {
		in := dockerfiletest.Load(t,
			txtar.Parse([]byte("-- Dockerfile --\nFROM tools AS b\n"+c.stage+"\nFROM scratch\nCOPY --from=b "+
				c.copied+" /\n"+source))).Input
		in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
		in.Compiler.Check = func(containerfile.GoBuild) error { return nil }
		_, err := check(t, in)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s\nCOPY --from=b %s: %v, want %q", c.stage, c.copied, err, c.want)
		}
	}
}

// TestDoubtBesideOutputs checks that the cause which outputs leave is named, and no other.
func TestDoubtBesideOutputs(t *testing.T) {
	in := dockerfiletest.Load(t, txtar.Parse([]byte(`-- Dockerfile --
FROM golang AS b
RUN apk add make
RUN apk add mailcap
WORKDIR /w
COPY go.mod .
RUN make dist/app
FROM scratch
COPY --from=b /w/dist/app /bin/
COPY --from=b /etc/mime.types /etc/
`+goSource))).Input
	in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
	in.Outputs = map[string]map[string]containerfile.File{"b": {"/w/dist/app": {Mode: 0o755}}}
	_, err := check(t, in)
	const want = "9:6: /etc/mime.types is not made in the stage b, and apk add mailcap in line 3, " +
		"which may make it, is not run"
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "RUN make") {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestDeclaredByOutputs checks that what a stage has copied itself is taken as it is beside
// outputs, which name what make leaves, and that what it has not is in doubt all the same.
func TestDeclaredByOutputs(t *testing.T) {
	for _, c := range []struct{ outputs, copied, want string }{
		{"/w/dist/app", "/w/go.mod", ""},
		{"/w/dist/app", "/w/", "RUN make"}, // make may leave more beside the output
		{"/w/dist/app", "/w/other", "RUN make"},
		{"", "/w/go.mod", "RUN make"},
	} {
		in := dockerfiletest.Load(t, txtar.Parse([]byte("-- Dockerfile --\nFROM golang AS b\nWORKDIR /w\n"+
			"COPY go.mod .\nRUN make dist/app\nFROM scratch\nCOPY --from=b "+c.copied+" /x/\n"+goSource))).Input
		in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
		if c.outputs != "" {
			in.Outputs = map[string]map[string]containerfile.File{"b": {c.outputs: {Mode: 0o755}}}
		}
		_, err := check(t, in)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("outputs %q, COPY --from=b %s: %v, want %q", c.outputs, c.copied, err, c.want)
		}
	}
}
