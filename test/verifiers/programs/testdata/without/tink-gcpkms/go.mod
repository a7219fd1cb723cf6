module github.com/tink-crypto/tink-go-gcpkms/v2

go 1.26.8
