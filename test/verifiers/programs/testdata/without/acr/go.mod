module github.com/chrismellard/docker-credential-acr-env

go 1.26.8
