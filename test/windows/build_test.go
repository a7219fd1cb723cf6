package windows

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/secure-systems-lab/go-securesystemslib/encrypted"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// The account of the registry, as a secret of the build's service account.
const user, password = "builder", "pass word"

var login = &authn.Basic{Username: user, Password: password}

// pod is what a build on Windows has around it: a drive with the volumes of its pod, a registry
// that wants a login, and a place to fetch source code from.
type pod struct {
	drive
	host, url string
}

// TestBuild goes through a build on Windows as kpack's pod does, with kpack's own programs in the
// first and the last place: build-init prepares it, and completion, started through the launcher
// that build-init left, signs the image and reports on it.
func TestBuild(t *testing.T) {
	r := open(t)
	p := pod{drive: newDrive(t)}
	for _, name := range []string{"build-init", "completion"} {
		p.lay(t, layersOf(t, r.windowsOf(t, name).image)...)
	}
	s := httptest.NewServer(p.serve(t))
	defer s.Close()
	p.host, p.url = strings.TrimPrefix(s.URL, "http://"), s.URL
	p.write(t, "var/build-secrets/registry/username", user)
	p.write(t, "var/build-secrets/registry/password", password)
	for _, volume := range []string{"networkWait", "workspace", "platform", "projectMetadata", "builder/home"} {
		if err := os.MkdirAll(filepath.Join(p.Dir, filepath.FromSlash(volume)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("build-init", p.buildInit)
	t.Run("completion", p.completion)
	t.Run("completion without a report", func(t *testing.T) {
		if err := os.Remove(filepath.Join(p.Dir, "var", "report", "report.toml")); err != nil {
			t.Fatal(err)
		}
		out, err := p.launch(t, nil)
		if err == nil || !strings.Contains(out, "open /var/report/report.toml") {
			t.Errorf("it does not look for the report (%v):\n%s", err, out)
		}
	})
}

func (p pod) buildInit(t *testing.T) {
	p.push(t, "run:1", empty.Image)
	out, err := p.Run(t, []string{
		"IMAGE_TAG=" + p.host + "/app:1", "RUN_IMAGE=" + p.host + "/run:1", "BLOB_URL=" + p.url + "/source.zip",
		"DNS_PROBE_HOSTNAME=localhost",
		"PLATFORM_ENV_GREETING=Grüße", `BUILD_CHANGES=[{"reason":"COMMIT","old":"1","new":"2"}]`,
	}, `C:\cnb\process\build-init.exe`, "-basic-docker=registry="+p.host)
	if err != nil || !strings.Contains(out, "Successfully downloaded") || !strings.Contains(out, "COMMIT") {
		t.Errorf("it does not prepare a build (%v):\n%s", err, out)
	}
	for file, want := range map[string]string{
		"workspace/app/main.txt": "hello from Linux\n",
		"workspace/Grüße.txt":    "not ASCII\n",
		"platform/env/GREETING":  "Grüße",
	} {
		if got := p.read(t, file); got != want {
			t.Errorf("%s holds %q, want %q", file, got, want)
		}
	}
	var config struct {
		Auths map[string]struct{ Auth, Username string }
	}
	if err := json.Unmarshal([]byte(p.read(t, "builder/home/.docker/config.json")), &config); err != nil ||
		len(config.Auths) != 1 {
		t.Errorf("the login for the lifecycle is %+v (%v)", config, err)
	}
	if p.read(t, "networkWait/network-wait-launcher.exe") != p.read(t, "cnb/process/network-wait-launcher.exe") {
		t.Error("the launcher is another one where the next containers look for it")
	}
}

func (p pod) completion(t *testing.T) {
	digest, cache := p.pushApp(t)
	public := p.signingKey(t)
	p.write(t, "var/report/report.toml", p.report(digest))
	out, err := p.launch(t,
		[]string{"CACHE_TAG=" + p.host + "/cache:1", "TERMINATION_MESSAGE_PATH=/dev/termination-log"},
		"-basic-docker=registry="+p.host, "-cosign-annotations=built-on=windows")
	if err != nil || !strings.Contains(out, "Build successful") {
		t.Fatalf("it does not complete the build (%v):\n%s", err, out)
	}
	checkReport(t, p.read(t, "dev/termination-log"), digest, cache)
	p.checkSignature(t, digest, public)
}

// pushApp pushes what a build has made.
func (p pod) pushApp(t *testing.T) (digest, cache v1.Hash) {
	t.Helper()
	app, err := random.Image(1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	run := p.host + "/run@" + p.push(t, "run:1", empty.Image).String()
	app, err = mutate.Config(app, v1.Config{Labels: map[string]string{
		"io.buildpacks.stack.id":       "example.stack",
		"io.buildpacks.build.metadata": `{"buildpacks":[{"id":"example/go","version":"1.2.3"}]}`,
		"io.buildpacks.lifecycle.metadata": fmt.Sprintf(
			`{"runImage":{"reference":%q},"stack":{"runImage":{"image":%q}}}`, run, p.host+"/run:1"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p.push(t, "app:1", app), p.push(t, "cache:1", empty.Image)
}

// report is what the phase before completion leaves.
func (p pod) report(digest v1.Hash) string {
	return fmt.Sprintf("[image]\ntags = [%q]\ndigest = %q\n", p.host+"/app:1", digest)
}

// launch starts completion as kpack does: by a path without .exe, through the launcher.
func (p pod) launch(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	return p.Run(t, env, `C:\networkWait\network-wait-launcher.exe`,
		append([]string{"localhost", "--", "/cnb/process/completion"}, args...)...)
}

// checkReport reads what kpack's controller reads from the container's termination message.
func checkReport(t *testing.T, message string, digest, cache v1.Hash) {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(message)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		BuildpackMetadata []struct{ ID, Version string }
		LatestImage       string
		LatestCacheImage  string
		StackID           string
	}
	if err := json.NewDecoder(z).Decode(&report); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(report.LatestImage, "/app@"+digest.String()) ||
		!strings.HasSuffix(report.LatestCacheImage, "/cache@"+cache.String()) ||
		report.StackID != "example.stack" || len(report.BuildpackMetadata) != 1 ||
		report.BuildpackMetadata[0].ID != "example/go" {
		t.Errorf("it reports %+v", report)
	}
}

// checkSignature verifies the signature that cosign leaves under a tag of the image's digest
// (https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md).
func (p pod) checkSignature(t *testing.T, digest v1.Hash, public *ecdsa.PublicKey) {
	t.Helper()
	img, err := remote.Image(p.reference(t, "app:"+digest.Algorithm+"-"+digest.Hex+".sig"), remote.WithAuth(login))
	if err != nil {
		t.Fatal(err)
	}
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Layers) != 1 {
		t.Fatalf("there are %d signatures", len(m.Layers))
	}
	l, err := img.LayerByDigest(m.Layers[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	u, err := l.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	payload, err := io.ReadAll(u)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := base64.StdEncoding.DecodeString(m.Layers[0].Annotations["dev.cosignproject.cosign/signature"])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(payload)
	if !ecdsa.VerifyASN1(public, sum[:], signature) {
		t.Error("the signature is not by the key")
	}
	var signed struct {
		Critical struct {
			Image struct {
				Digest string `json:"docker-manifest-digest"`
			}
		}
		Optional map[string]string
	}
	if err := json.Unmarshal(payload, &signed); err != nil {
		t.Fatal(err)
	}
	if signed.Critical.Image.Digest != digest.String() || signed.Optional["built-on"] != "windows" {
		t.Errorf("what is signed is %s", payload)
	}
}

// signingKey puts a key as `cosign generate-key-pair` makes it into the secrets of the service
// account.
func (p pod) signingKey(t *testing.T) *ecdsa.PublicKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := encrypted.Encrypt(der, []byte(password))
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "var/build-secrets/cosign/key/cosign.key",
		string(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED SIGSTORE PRIVATE KEY", Bytes: sealed})))
	p.write(t, "var/build-secrets/cosign/key/cosign.password", password)
	return &key.PublicKey
}

// serve is a registry for those who log in, and the source code.
func (p pod) serve(t *testing.T) http.Handler {
	t.Helper()
	var source bytes.Buffer
	z := zip.NewWriter(&source)
	for name, text := range map[string]string{"app/main.txt": "hello from Linux\n", "Grüße.txt": "not ASCII\n"} {
		f, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/source.zip", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/zip")
		rw.Write(source.Bytes()) //nolint:errcheck // build-init would miss it
	})
	images := registrytest.Handler()
	mux.HandleFunc("/v2/", func(rw http.ResponseWriter, q *http.Request) {
		if u, pw, ok := q.BasicAuth(); !ok || u != user || pw != password {
			rw.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			rw.WriteHeader(http.StatusUnauthorized)
			return
		}
		images.ServeHTTP(rw, q)
	})
	return mux
}

func (p pod) reference(t *testing.T, text string) name.Reference {
	t.Helper()
	ref, err := name.ParseReference(p.host + "/" + text)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func (p pod) push(t *testing.T, to string, img v1.Image) v1.Hash {
	t.Helper()
	if err := remote.Write(p.reference(t, to), img, remote.WithAuth(login)); err != nil {
		t.Fatal(err)
	}
	h, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (p pod) write(t *testing.T, file, text string) {
	t.Helper()
	path := filepath.Join(p.Dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (p pod) read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.Dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
